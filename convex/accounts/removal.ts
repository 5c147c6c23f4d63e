import { type GenericId, v } from "convex/values";
import { internal } from "../_generated/api";
import type { TableNames } from "../_generated/dataModel";
import { internalMutation } from "../model/functions";
import { deleteImages, unsentImagesOf } from "../model/comments/commentImages";
import { subtractReactions } from "../model/comments/reactions";
import { deletePresence } from "../model/presence/presence";
import { wasCreatedBy } from "../model/wasCreatedBy";

const BATCH = 100;
const FEW = 10;
const CODES = ["sign-in", "email-verification", "forget-password"];
const ROWS_MAX = 500;

/** Revokes tokens issued before a change of password, address or second factor. Later tokens stay valid, because this job runs later. */
export const outdate = internalMutation({
  args: {
    userId: v.string(),
    prefix: v.union(v.literal("reset-password:"), v.literal("delete-account-"), v.literal("2fa-"), v.literal("trust-device-")),
    /** Time of the change (milliseconds since 1970); jobs of an earlier build omit it. */
    at: v.optional(v.number()),
  },
  returns: v.null(),
  handler: async ({ db }, { userId, prefix, at = Infinity }) => {
    const values = await db
      .query("verifications")
      .withIndex("value", (q) => q.eq("value", userId))
      .take(ROWS_MAX);
    for (const row of values) if (wasCreatedBy(row, at) && row.identifier.startsWith(prefix)) await db.delete(row._id);
    return null;
  },
});

/** Deletes the rest of a user's data. Better Auth deletes an account in several steps, which may be interrupted. */
export const forget = internalMutation({
  args: { userId: v.string(), email: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, { userId }) => {
    await deletePresence(ctx, userId);
    const unsent = await unsentImagesOf(ctx, userId, BATCH);
    await deleteImages(ctx, unsent);
    const batches: { _id: GenericId<TableNames> }[][] = await Promise.all(
      (["accounts", "sessions", "twoFactors", "passkeys"] as const).map((table) =>
        ctx.db
          .query(table)
          .withIndex("userId", (q) => q.eq("userId", userId))
          .take(BATCH),
      ),
    );
    batches.push(
      await ctx.db
        .query("verifications")
        .withIndex("value", (q) => q.eq("value", userId))
        .take(BATCH),
      await ctx.db
        .query("subscriptions")
        .withIndex("referenceId", (q) => q.eq("referenceId", userId))
        .take(BATCH),
      await ctx.db
        .query("accessTokens")
        .withIndex("by_user", (q) => q.eq("userId", userId))
        .take(BATCH),
      await ctx.db
        .query("userPictures")
        .withIndex("by_user", (q) => q.eq("userId", userId))
        .take(BATCH),
      await ctx.db
        .query("sessionActivity")
        .withIndex("by_user", (q) => q.eq("userId", userId))
        .take(BATCH),
      await ctx.db
        .query("projectMembers")
        .withIndex("by_user", (q) => q.eq("userId", userId))
        .take(BATCH),
      await ctx.db
        .query("undoSteps")
        .withIndex("by_user", (q) => q.eq("userId", userId))
        .take(BATCH),
      await ctx.db
        .query("favourites")
        .withIndex("by_user", (q) => q.eq("userId", userId))
        .take(BATCH),
      await ctx.db
        .query("commentReads")
        .withIndex("by_user", (q) => q.eq("userId", userId))
        .take(BATCH),
      await ctx.db
        .query("commentMentions")
        .withIndex("by_user", (q) => q.eq("userId", userId))
        .take(BATCH),
      await subtractReactions(ctx, userId, BATCH),
      await ctx.db
        .query("savedLinks")
        .withIndex("by_user", (q) => q.eq("userId", userId))
        .take(BATCH),
      await ctx.db
        .query("notificationSettings")
        .withIndex("by_user", (q) => q.eq("userId", userId))
        .take(BATCH),
      await ctx.db
        .query("mutedProjects")
        .withIndex("by_user", (q) => q.eq("userId", userId))
        .take(BATCH),
      await ctx.db
        .query("bulkJobs")
        .withIndex("by_user", (q) => q.eq("userId", userId))
        .take(FEW),
      await ctx.db
        .query("bulkSelections")
        .withIndex("by_user", (q) => q.eq("userId", userId))
        .take(FEW),
      await ctx.db
        .query("bulkPages")
        .withIndex("by_user", (q) => q.eq("userId", userId))
        .take(BATCH),
    );
    for (const [index, field] of [
      ["by_sender", "fromId"],
      ["by_recipient", "toId"],
    ] as const) {
      const transfers = await ctx.db
        .query("transfers")
        .withIndex(index, (q) => q.eq(field, userId))
        .take(BATCH);
      // An accepted transfer is deleted by its job, or with the project.
      batches.push(transfers.filter(({ state }) => state !== "moving"));
    }
    for (const [index, field] of [
      ["by_inviter", "invitedBy"],
      ["by_recipient", "acceptedBy"],
    ] as const)
      batches.push(
        await ctx.db
          .query("invitations")
          .withIndex(index, (q) => q.eq(field, userId))
          .take(BATCH),
      );
    for (const [index, field] of [
      ["by_reviewer", "reviewerId"],
      ["by_requester", "requestedBy"],
    ] as const)
      batches.push(
        await ctx.db
          .query("reviewRequests")
          .withIndex(index, (q) => q.eq(field, userId))
          .take(BATCH),
      );
    for (const id of new Set(batches.flat().map(({ _id }) => _id))) await ctx.db.delete(id);
    if (unsent.length === BATCH || batches.some((rows) => rows.length >= FEW))
      await ctx.scheduler.runAfter(0, internal.accounts.removal.forget, { userId });
    return null;
  },
});

export const forgetCodes = internalMutation({
  args: { email: v.string(), isVerified: v.optional(v.boolean()) },
  returns: v.null(),
  handler: async ({ db }, { email, isVerified = false }) => {
    for (const kind of CODES) {
      const codes = await db
        .query("verifications")
        .withIndex("identifier", (q) => q.eq("identifier", `${kind}-otp-${email}`))
        .take(BATCH);
      for (const { _id } of codes) await db.delete(_id);
    }
    if (!isVerified) return null;
    const invitations = await db
      .query("invitations")
      .withIndex("by_email", (q) => q.eq("email", email))
      .take(ROWS_MAX);
    for (const { _id } of invitations) await db.delete(_id);
    return null;
  },
});
