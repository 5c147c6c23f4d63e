import { defineTable } from "convex/server";
import { v } from "convex/values";

/** Email is queued with its cause and sent later: response times must not reveal whether an account exists. */
export const mailAttempt = {
  at: v.number(),
  kind: v.string(),
  /** "postponed": the attempt failed and will be repeated. "failed": the mail server rejected the message permanently. */
  result: v.union(v.literal("sent"), v.literal("postponed"), v.literal("failed")),
  attempt: v.number(),
  /** Error code, without addresses. */
  reason: v.optional(v.string()),
};

export const reportedAttempt = { kind: v.string(), reason: v.optional(v.string()) };

export const mailTables = {
  mailAttempts: defineTable(mailAttempt).index("by_age", ["at"]),

  mails: defineTable({
    userId: v.optional(v.string()),
    content: v.union(
      /** Encrypted by the app server: messages carry links and codes that grant access. */
      v.object({ sealed: v.string() }),
      v.object({ notice: v.id("notices"), to: v.string() }),
      /** About projects. The text is read when the email is sent. `since`: time of the first notice. */
      v.object({ notification: v.id("notices") }),
      v.object({ thread: v.id("commentThreads"), since: v.number() }),
      v.object({ digest: v.literal(true), since: v.number() }),
    ),
    isUrgent: v.optional(v.literal(true)),
    /** Identifies a person's row for a thread or the digest. The row stays after sending, so that emails are not sent too often. */
    key: v.optional(v.string()),
    /** Start of the lease. Later notices are for the next email. */
    claimedAt: v.optional(v.number()),
    attempts: v.number(),
    dueAt: v.number(),
    lease: v.optional(v.string()),
    expiresAt: v.number(),
  })
    .index("by_due", ["dueAt"])
    .index("by_urgency", ["isUrgent", "dueAt"])
    .index("by_user", ["userId"])
    .index("by_key", ["userId", "key"])
    .index("by_expiry", ["expiresAt"]),
};
