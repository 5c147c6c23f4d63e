import { defineTable } from "convex/server";
import { v } from "convex/values";

export const movingTables = {
  /** Scheduled functions that a move has cancelled, because exports do not contain them. The target schedules them again. */
  pausedJobs: defineTable({ name: v.string(), args: v.any(), at: v.number() }).index("by_name", ["name"]),
};
