import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({ steps: defineTable({ name: v.string(), step: v.string() }).index("by_name", ["name"]) });
