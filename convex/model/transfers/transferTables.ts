import { defineTable } from "convex/server";
import { v } from "convex/values";

/** "measuring": sums a large project's bytes. "moving": changes the owner of its rows. Owners see "declined" and "refused" (too little storage). */
export const transferState = v.union(
  v.literal("offered"),
  v.literal("measuring"),
  v.literal("moving"),
  v.literal("declined"),
  v.literal("refused"),
);

export const transferTables = {
  transfers: defineTable({
    projectId: v.id("projects"),
    fromId: v.string(),
    toId: v.string(),
    state: transferState,
    createdAt: v.number(),
    expiresAt: v.number(),
    /** Number of the running chain of batches. An earlier chain stops. */
    run: v.number(),
    /** When the last batch ran (milliseconds since 1970). */
    movedAt: v.optional(v.number()),
    /** The recipient's quota when they accepted. Jobs have no token. */
    isLimited: v.optional(v.boolean()),
    quota: v.optional(v.number()),
  })
    .index("by_project", ["projectId"])
    .index("by_sender", ["fromId", "state"])
    .index("by_recipient", ["toId", "state"])
    .index("by_state", ["state", "movedAt"]),
};
