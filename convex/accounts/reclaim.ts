import { v } from "convex/values";
import { internal } from "../_generated/api";
import type { TableNames } from "../_generated/dataModel";
import type { GenericId } from "convex/values";
import { serverMutation } from "../model/access";
import { recordAuditEvent } from "../model/audit/recordAuditEvent";
import { notify } from "./notices";
import { removedCredential } from "../model/accounts/noticeTables";

const BATCH = 500;

/** Deletes a batch of all credentials of an account with an unverified address. Call it until it returns an empty array. */
export const removeCredentials = serverMutation({
  args: { userId: v.string(), address: v.optional(v.string()) },
  returns: v.array(removedCredential),
  handler: async (ctx, { userId, address }) => {
    const { db } = ctx;
    const user = await db
      .query("users")
      .withIndex("id", (q) => q.eq("id", userId))
      .unique();
    if (!user || user.emailVerified) return [];
    const [accounts, passkeys, twoFactors, sessions] = await Promise.all([
      db
        .query("accounts")
        .withIndex("userId", (q) => q.eq("userId", userId))
        .take(BATCH),
      db
        .query("passkeys")
        .withIndex("userId", (q) => q.eq("userId", userId))
        .take(BATCH),
      db
        .query("twoFactors")
        .withIndex("userId", (q) => q.eq("userId", userId))
        .take(BATCH),
      db
        .query("sessions")
        .withIndex("userId", (q) => q.eq("userId", userId))
        .take(BATCH),
    ]);
    const tokens = await db
      .query("verifications")
      .withIndex("value", (q) => q.eq("value", userId))
      .take(BATCH);
    const devices = await db
      .query("devices")
      .withIndex("by_user", (q) => q.eq("userId", userId))
      .take(BATCH);
    const accessTokens = await db
      .query("accessTokens")
      .withIndex("by_user", (q) => q.eq("userId", userId))
      .take(BATCH);
    const rows: { _id: GenericId<TableNames> }[] = [
      ...accounts,
      ...passkeys,
      ...twoFactors,
      ...sessions,
      ...tokens,
      ...devices,
      ...accessTokens,
    ];
    for (const { _id } of rows) await db.delete(_id);
    if (rows.length > 0) await recordAuditEvent(ctx, { action: "credentials.removed" }, { actor: "user", userId, address });
    return [
      ...new Set(accounts.map(({ providerId }) => providerId)),
      ...(passkeys.length > 0 ? ["passkeys"] : []),
      ...(twoFactors.length > 0 ? ["twoFactor"] : []),
      ...(sessions.length > 0 ? ["sessions"] : []),
      ...(tokens.length + devices.length + accessTokens.length > 0 ? ["tokens"] : []),
    ];
  },
});

/** Marks the address as verified and notifies the user once. Call it after `removeCredentials`. */
export const verifyAddress = serverMutation({
  args: { userId: v.string(), providerId: v.string(), removed: v.array(removedCredential), address: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, { userId, providerId, removed, address }) => {
    const user = await ctx.db
      .query("users")
      .withIndex("id", (q) => q.eq("id", userId))
      .unique();
    if (!user || user.emailVerified) return null;
    const at = Date.now();
    await ctx.db.patch(user._id, { emailVerified: true, twoFactorEnabled: false, updatedAt: at });
    await recordAuditEvent(ctx, { action: "email.verified" }, { actor: "user", userId, address });
    await ctx.runMutation(internal.accounts.invitations.accept, { email: user.email, userId });
    await notify(ctx, user, { kind: "providerLinked", providerId, removed }, at);
    return null;
  },
});
