import { defineTable } from "convex/server";
import { type Infer, v } from "convex/values";
import { reviewStatus } from "../review/reviewTables";

/** "passkeys", "twoFactor", "sessions", "tokens", or the provider id of a linked account. */
export const removedCredential = v.string();

/** Worded by `app/features/notifications/notification-text.ts`. New kinds may be added but never changed: older notices remain stored. */
const accountNotices = [
  v.object({ kind: v.literal("signIn"), userAgent: v.string(), ipAddress: v.string() }),
  v.object({ kind: v.literal("passwordChanged") }),
  v.object({ kind: v.literal("passwordAdded") }),
  v.object({ kind: v.literal("emailChanged"), from: v.string(), to: v.string() }),
  v.object({ kind: v.literal("twoFactorEnabled") }),
  v.object({ kind: v.literal("twoFactorDisabled") }),
  v.object({ kind: v.literal("passkeyAdded"), name: v.string() }),
  // `removed`: credentials that a sign-in removed when it verified the address (`reclaim.ts`).
  v.object({ kind: v.literal("providerLinked"), providerId: v.string(), removed: v.optional(v.array(removedCredential)) }),
] as const;

/** About the account. Pages of an earlier build show only these. */
export const accountNotice = v.union(...accountNotices);
export type AccountNotice = Infer<typeof accountNotice>;

/** Shown in the app only. Names and texts are read when the notice is shown. */
const ofComment = { actorId: v.string(), itemId: v.string(), threadId: v.string() };
const commentNotices = [
  v.object({ kind: v.literal("reply"), ...ofComment }),
  v.object({ kind: v.literal("mention"), ...ofComment }),
] as const;
const ofReview = { actorId: v.string(), itemId: v.string() };
const reviewNotices = [
  v.object({ kind: v.literal("reviewRequested"), ...ofReview, requestId: v.id("reviewRequests") }),
  /** `count`: the number of items of a bulk answer; `itemId` is the last one. */
  v.object({ kind: v.literal("reviewGiven"), ...ofReview, status: reviewStatus, count: v.optional(v.number()) }),
] as const;

export const notice = v.union(...accountNotices, ...commentNotices, ...reviewNotices);
export type Notice = Infer<typeof notice>;

const OTHER_KINDS: readonly Notice["kind"][] = ["reply", "mention", "reviewRequested", "reviewGiven"];
export const isAccountNotice = (each: Notice): each is AccountNotice => !OTHER_KINDS.includes(each.kind);

export const noticeTables = {
  notices: defineTable({
    userId: v.string(),
    notice,
    at: v.number(),
    read: v.boolean(),
    itemId: v.optional(v.string()),
    threadId: v.optional(v.id("commentThreads")),
  })
    .index("by_user", ["userId", "at"])
    .index("by_item", ["userId", "itemId", "read"])
    .index("by_thread", ["threadId", "userId", "read"])
    .index("by_read", ["userId", "read", "at"])
    .index("by_age", ["at"]),

  devices: defineTable({ userId: v.string(), mark: v.string(), seenAt: v.number() })
    .index("by_mark", ["userId", "mark"])
    .index("by_user", ["userId", "seenAt"])
    .index("by_age", ["seenAt"]),
};
