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
    run: v.number(),
    /** `movedAt`: when the last batch ran (ms since 1970). The limits are the recipient's at the acceptance, because jobs have no token. */
    movedAt: v.optional(v.number()),
    isLimited: v.optional(v.boolean()),
    quota: v.optional(v.number()),
  })
    .index("by_project", ["projectId"])
    .index("by_sender", ["fromId", "state"])
    .index("by_recipient", ["toId", "state"])
    .index("by_state", ["state", "movedAt"]),
};
