import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({ people: defineTable({ name: v.string(), initial: v.optional(v.string()) }) });
