import { type GenericId, v } from "convex/values";
import { internal } from "../_generated/api";
import type { TableNames } from "../_generated/dataModel";
import { internalMutation } from "../_generated/server";

const BATCH = 100;

/**
 * Removes what an account leaves behind in the tables of accounts. Better Auth removes sessions and linked logins itself, step by step; whatever
 * interrupts it, nothing of somebody stays who is gone.
 */
export const forget = internalMutation({
  args: { userId: v.string() },
  returns: v.null(),
  handler: async (ctx, { userId }) => {
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
    for (const { _id } of batches.flat()) await ctx.db.delete(_id);
    if (batches.some((rows) => rows.length === BATCH)) await ctx.scheduler.runAfter(0, internal.accounts.removal.forget, { userId });
    return null;
  },
});
