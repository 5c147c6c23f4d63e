import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  attempts: defineTable({ name: v.string() }).index("by_name", ["name"]),
  results: defineTable({ name: v.string(), kind: v.string(), value: v.any() }).index("by_name", ["name"]),
});
