import type { GenericDatabaseReader } from "convex/server";
import { v } from "convex/values";
import { internal } from "../_generated/api";
import type { MutationCtx } from "../_generated/server";
import { serverMutation } from "../model/access";
import type { StoreModel } from "../model/accounts/adapterRows";
import { eventOf } from "../model/accounts/events";
import { storageFunctions } from "../model/accounts/adapterStorage";
import { authRequest, eventsOfDeletion, eventsOfWrite, type Lookups } from "../model/audit/authEvents";
import { recordAuditEvent } from "../model/audit/recordAuditEvent";
import { accountTables, uniqueIndexes } from "../model/accounts/tables";

/** More sessions than a user has. `removal.forget` deletes further ones. */
const SESSIONS = 500;

/** Jobs never take personal data as an argument, because Convex stores arguments for days. */
export const { create, findOne, findMany, count, update, updateMany, deleteMany, consumeOne, incrementOne, commit } = storageFunctions({
  tables: accountTables,
  uniqueIndexes,
  scans: false,
  deleted: async ({ db, request, scheduler, runMutation }, model, rows) => {
    for (const { event, origin } of eventsOfDeletion(model, rows, request)) await recordAuditEvent({ db }, event, origin);
    for (const { userId } of model === "twoFactors" ? rows : []) {
      if (typeof userId === "string")
        await scheduler.runAfter(0, internal.accounts.removal.outdate, { userId, prefix: "trust-device-", at: Date.now() });
    }
    for (const user of model === "users" ? rows : []) await deleteUserData({ scheduler, runMutation }, user);
  },
  written: async ({ db, request, scheduler, runMutation }, model, before, after) => {
    for (const { event, origin } of await eventsOfWrite(model, before, after, request, lookupsIn(db)))
      await recordAuditEvent({ db }, event, origin);
    const { id, email, emailVerified } = after;
    const isVerified = model === "users" && emailVerified === true && before?.["emailVerified"] !== true;
    if (isVerified && typeof id === "string" && typeof email === "string")
      await runMutation(internal.accounts.invitations.accept, { email, userId: id });
    const found = eventOf(model, before, after);
    if (!found) return;
    await runMutation(internal.accounts.notices.tell, { ...found, at: Date.now() });
    const { userId, event } = found;
    if (event.kind === "passwordChanged")
      await scheduler.runAfter(0, internal.accounts.removal.outdate, { userId, prefix: "2fa-", at: Date.now() });
    if (event.kind !== "passwordChanged" && event.kind !== "emailChanged") return;
    for (const prefix of ["reset-password:", "delete-account-"] as const)
      await scheduler.runAfter(0, internal.accounts.removal.outdate, { userId, prefix, at: Date.now() });
  },
});

const lookupsIn = (db: GenericDatabaseReader<StoreModel>): Lookups => ({
  async hasTwoFactor(userId) {
    const user = await db
      .query("users")
      .withIndex("id", (q) => q.eq("id", userId))
      .unique();
    return user?.["twoFactorEnabled"] === true;
  },
  async isFirstAccount(userId) {
    const accounts = await db
      .query("accounts")
      .withIndex("userId", (q) => q.eq("userId", userId))
      .take(2);
    return accounts.length < 2;
  },
});

/** Deletes a user with the sessions and sign-in methods, so that no request of the account is accepted afterwards. */
export const deleteUser = serverMutation({
  args: { userId: v.string(), request: v.optional(authRequest) },
  returns: v.null(),
  handler: async (ctx, { userId, request = {} }) => {
    const user = await ctx.db
      .query("users")
      .withIndex("id", (q) => q.eq("id", userId))
      .unique();
    if (!user) return null;
    for (const table of ["sessions", "accounts"] as const) {
      const rows = await ctx.db
        .query(table)
        .withIndex("userId", (q) => q.eq("userId", userId))
        .take(SESSIONS);
      for (const { _id } of rows) await ctx.db.delete(_id);
    }
    await ctx.db.delete(user._id);
    for (const { event, origin } of eventsOfDeletion("users", [user], request)) await recordAuditEvent(ctx, event, origin);
    await deleteUserData(ctx, user);
    return null;
  },
});

async function deleteUserData(
  { scheduler, runMutation }: Pick<MutationCtx, "scheduler" | "runMutation">,
  user: Record<string, unknown>,
): Promise<void> {
  const { id, email, emailVerified } = user;
  if (typeof id !== "string") return;
  await scheduler.runAfter(0, internal.jobs.purge.owner, { ownerId: id });
  await scheduler.runAfter(0, internal.accounts.notices.forget, { userId: id });
  await scheduler.runAfter(0, internal.accounts.removal.forget, { userId: id });
  await scheduler.runAfter(0, internal.jobs.auditLog.anonymise, { userId: id });
  if (typeof email !== "string") return;
  await runMutation(internal.accounts.removal.forgetCodes, { email, isVerified: emailVerified === true });
}
