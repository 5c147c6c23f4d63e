import { defineTable } from "convex/server";
import { v } from "convex/values";

/** Mail is queued with its cause and sent later: response times must not reveal whether an account exists. */
export const mailTables = {
  mails: defineTable({
    userId: v.optional(v.string()),
    content: v.union(
      /** Encrypted by the app server: messages carry links and codes that grant access. */
      v.object({ sealed: v.string() }),
      v.object({ notice: v.id("notices"), to: v.string() }),
    ),
    attempts: v.number(),
    dueAt: v.number(),
    lease: v.optional(v.string()),
    expiresAt: v.number(),
  })
    .index("by_due", ["dueAt"])
    .index("by_user", ["userId"])
    .index("by_expiry", ["expiresAt"]),
};
