import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({ rows: defineTable({ key: v.number(), text: v.string() }).index("by_key", ["key"]) });
