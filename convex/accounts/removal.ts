import { type GenericId, v } from "convex/values";
import { internal } from "../_generated/api";
import type { TableNames } from "../_generated/dataModel";
import { internalMutation } from "../_generated/server";

const BATCH = 100;
/** Better Auth's kinds of codes that go by mail. */
const CODES = ["sign-in", "email-verification", "forget-password"];
/** More links and trusted devices than anybody has at a time. */
const VALUES = 500;

/**
 * Removes what was given out on the strength of something that is no more: links to reset a password or to delete the account once the password,
 * or the address, is another ("reset-password:", "delete-account-"), sign-ins that wait for their second factor once the password is another ("2fa-"), and trusted devices once the second
 * factor is gone ("trust-device-").
 *
 * It runs in its own time: what has been given out since, on the strength of what is now, stays.
 */
export const outdate = internalMutation({
  args: {
    userId: v.string(),
    prefix: v.union(v.literal("reset-password:"), v.literal("delete-account-"), v.literal("2fa-"), v.literal("trust-device-")),
    /** When that was, in ms since 1970. A job that an earlier build left does not say. */
    at: v.optional(v.number()),
  },
  returns: v.null(),
  handler: async ({ db }, { userId, prefix, at = Infinity }) => {
    const values = await db
      .query("verifications")
      .withIndex("value", (q) => q.eq("value", userId))
      .take(VALUES);
    for (const { _id, _creationTime, identifier } of values) if (_creationTime <= at && identifier.startsWith(prefix)) await db.delete(_id);
    return null;
  },
});

/**
 * Removes what an account leaves behind in the tables of accounts. Better Auth removes sessions and linked logins itself, step by step; whatever
 * interrupts it, nothing of somebody stays who is gone.
 */
export const forget = internalMutation({
  args: { userId: v.string(), email: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, { userId, email }) => {
    const batches: { _id: GenericId<TableNames> }[][] = await Promise.all(
      (["accounts", "sessions", "twoFactors", "passkeys"] as const).map((table) =>
        ctx.db
          .query(table)
          .withIndex("userId", (q) => q.eq("userId", userId))
          .take(BATCH),
      ),
    );
    batches.push(
      // Trusted devices, links to reset a password or to delete the account.
      await ctx.db
        .query("verifications")
        .withIndex("value", (q) => q.eq("value", userId))
        .take(BATCH),
      await ctx.db
        .query("subscriptions")
        .withIndex("referenceId", (q) => q.eq("referenceId", userId))
        .take(BATCH),
      await ctx.db
        .query("userPictures")
        .withIndex("by_user", (q) => q.eq("userId", userId))
        .take(BATCH),
      await ctx.db
        .query("sessionActivity")
        .withIndex("by_user", (q) => q.eq("userId", userId))
        .take(BATCH),
    );
    // Codes by mail go by the address that they were sent to.
    for (const kind of email === undefined ? [] : CODES) {
      batches.push(
        await ctx.db
          .query("verifications")
          .withIndex("identifier", (q) => q.eq("identifier", `${kind}-otp-${email}`))
          .take(BATCH),
      );
    }
    for (const { _id } of batches.flat()) await ctx.db.delete(_id);
    if (batches.some((rows) => rows.length === BATCH)) await ctx.scheduler.runAfter(0, internal.accounts.removal.forget, { userId, email });
    return null;
  },
});
