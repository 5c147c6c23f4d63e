import { defineTable } from "convex/server";
import { type Infer, v } from "convex/values";

/** "passkeys", "twoFactor", "sessions", "tokens", or the provider id of a linked account. */
export const removedCredential = v.string();

/** Worded by `app/features/notifications/notification-text.ts`. New kinds may be added but never changed: older notices remain stored. */
export const notice = v.union(
  v.object({ kind: v.literal("signIn"), userAgent: v.string(), ipAddress: v.string() }),
  v.object({ kind: v.literal("passwordChanged") }),
  v.object({ kind: v.literal("passwordAdded") }),
  v.object({ kind: v.literal("emailChanged"), from: v.string(), to: v.string() }),
  v.object({ kind: v.literal("twoFactorEnabled") }),
  v.object({ kind: v.literal("twoFactorDisabled") }),
  v.object({ kind: v.literal("passkeyAdded"), name: v.string() }),
  // `removed`: credentials that a sign-in removed when it verified the address (`reclaim.ts`).
  v.object({ kind: v.literal("providerLinked"), providerId: v.string(), removed: v.optional(v.array(removedCredential)) }),
);
export type Notice = Infer<typeof notice>;

export const noticeTables = {
  notices: defineTable({ userId: v.string(), notice, at: v.number(), read: v.boolean() })
    .index("by_user", ["userId", "at"])
    .index("by_read", ["userId", "read", "at"])
    .index("by_age", ["at"]),

  /** Browsers of earlier sign-ins, by the hash of the device cookie. */
  devices: defineTable({ userId: v.string(), mark: v.string(), seenAt: v.number() })
    .index("by_mark", ["userId", "mark"])
    .index("by_user", ["userId", "seenAt"])
    .index("by_age", ["seenAt"]),
};
