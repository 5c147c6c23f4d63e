import { defineTable } from "convex/server";
import { type Infer, v } from "convex/values";

/** What a notice tells; the app puts it into words (`app/notices/words.ts`). New kinds are added, never changed: older notices stay. */
export const notice = v.union(
  v.object({ kind: v.literal("signIn"), userAgent: v.string(), ipAddress: v.string() }),
  v.object({ kind: v.literal("passwordChanged") }),
  v.object({ kind: v.literal("passwordAdded") }),
  v.object({ kind: v.literal("emailChanged"), from: v.string(), to: v.string() }),
  v.object({ kind: v.literal("twoFactorEnabled") }),
  v.object({ kind: v.literal("twoFactorDisabled") }),
  v.object({ kind: v.literal("passkeyAdded"), name: v.string() }),
  v.object({ kind: v.literal("providerLinked"), providerId: v.string() }),
);
export type Notice = Infer<typeof notice>;

export const noticeTables = {
  /** What happened to somebody's account. */
  notices: defineTable({ userId: v.string(), notice, at: v.number(), read: v.boolean() })
    .index("by_user", ["userId", "at"])
    .index("by_read", ["userId", "read", "at"])
    .index("by_age", ["at"]),

  /** The browsers in which somebody has signed in before, each by the hash of its device cookie. */
  devices: defineTable({ userId: v.string(), mark: v.string(), seenAt: v.number() })
    .index("by_mark", ["userId", "mark"])
    .index("by_user", ["userId", "seenAt"])
    .index("by_age", ["seenAt"]),
};
