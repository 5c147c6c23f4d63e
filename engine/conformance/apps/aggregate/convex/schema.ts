import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({ scores: defineTable({ player: v.string(), score: v.number() }) });
