import { defineTable } from "convex/server";
import { type Infer, v } from "convex/values";
import { memberRole } from "../memberRole";
import { NOTIFICATION_KINDS, type NotificationKind } from "../notifications/kinds";
import { reviewStatus } from "../review/reviewTables";

/** "passkeys", "twoFactor", "sessions", "tokens", or the provider id of a linked account. */
export const removedCredential = v.string();

/** `app/features/notifications/notification-text.ts` has the texts. New kinds may be added but never changed: older notices remain stored. */
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

export const accountNotice = v.union(...accountNotices);
export type AccountNotice = Infer<typeof accountNotice>;

/** Names and texts are read when the notice is shown or emailed. */
const ofComment = { actorId: v.string(), itemId: v.string(), threadId: v.string() };
const byGuest = { guest: v.optional(v.string()) };
const commentNotices = [
  v.object({ kind: v.literal("reply"), ...ofComment, ...byGuest }),
  v.object({ kind: v.literal("mention"), ...ofComment }),
] as const;
const ofReview = { actorId: v.string(), itemId: v.string() };
const reviewNotices = [
  v.object({ kind: v.literal("reviewRequested"), ...ofReview, requestId: v.id("reviewRequests") }),
  /** `count`: the number of items of a bulk answer; `itemId` is the last one. */
  v.object({ kind: v.literal("reviewGiven"), ...ofReview, status: reviewStatus, count: v.optional(v.number()) }),
] as const;

const earlierNotices = [...accountNotices, ...commentNotices, ...reviewNotices] as const;
export const earlierNotice = v.union(...earlierNotices);

const accessNotices = [
  v.object({ kind: v.literal("invitation"), actorId: v.string(), invitationId: v.id("invitations") }),
  v.object({
    kind: v.literal("accessChanged"),
    actorId: v.string(),
    projectId: v.id("projects"),
    /** "transferOffered" is emailed only: `/notifications` shows the offer itself. */
    change: v.union(
      v.literal("role"),
      v.literal("removed"),
      v.literal("transferOffered"),
      v.literal("transferAccepted"),
      v.literal("transferDeclined"),
    ),
    role: v.optional(memberRole),
    name: v.optional(v.string()),
  }),
] as const;

export const notice = v.union(...earlierNotices, v.object({ kind: v.literal("comment"), ...ofComment, ...byGuest }), ...accessNotices);
export type Notice = Infer<typeof notice>;
export type ProjectNotice = Extract<Notice, { kind: NotificationKind }>;

const PROJECT_KINDS: readonly Notice["kind"][] = NOTIFICATION_KINDS;
export const isProjectNotice = (each: Notice): each is ProjectNotice => PROJECT_KINDS.includes(each.kind);
export const isAccountNotice = (each: Notice): each is AccountNotice => !isProjectNotice(each);

export const noticeTables = {
  notices: defineTable({
    userId: v.string(),
    notice,
    at: v.number(),
    read: v.boolean(),
    itemId: v.optional(v.string()),
    threadId: v.optional(v.id("commentThreads")),
    commentId: v.optional(v.string()),
    since: v.optional(v.number()),
    /** The public link through which the comment was written, and the number of further comments without a notice of their own. */
    linkId: v.optional(v.id("links")),
    more: v.optional(v.number()),
    projectId: v.optional(v.id("projects")),
  })
    .index("by_user", ["userId", "at"])
    .index("by_item", ["userId", "itemId", "read"])
    .index("by_thread", ["threadId", "userId", "read"])
    .index("by_project", ["projectId", "userId"])
    .index("by_link", ["linkId", "userId", "read"])
    .index("by_read", ["userId", "read", "at"])
    .index("by_age", ["at"]),

  devices: defineTable({ userId: v.string(), mark: v.string(), seenAt: v.number() })
    .index("by_mark", ["userId", "mark"])
    .index("by_user", ["userId", "seenAt"])
    .index("by_age", ["seenAt"]),
};
