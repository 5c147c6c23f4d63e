import type { GenericDatabaseReader } from "convex/server";
import { v } from "convex/values";
import { serverMutation } from "../model/access";
import type { StoreModel } from "../model/accounts/adapterRows";
import { storageFunctions } from "../model/accounts/adapterStorage";
import { afterDelete, afterWrite } from "../model/accounts/afterWrite";
import { deleteUserRows } from "../model/accounts/deleteUserRows";
import { accountTables, uniqueIndexes } from "../model/accounts/tables";
import { authRequest, deletionOrigin, eventsOfDeletion, eventsOfWrite, type Lookups } from "../model/audit/authEvents";
import { recordAuditEvent } from "../model/audit/recordAuditEvent";
import { disabled } from "../model/errors";

export const { create, findOne, findMany, count, update, updateMany, deleteMany, consumeOne, incrementOne, commit } = storageFunctions({
  tables: accountTables,
  uniqueIndexes,
  scans: false,
  async deleted(ctx, model, rows) {
    for (const { event, origin } of eventsOfDeletion(model, rows, ctx.request)) await recordAuditEvent({ db: ctx.db }, event, origin);
    await afterDelete(ctx, model, rows);
  },
  async written(ctx, model, before, after) {
    for (const { event, origin } of await eventsOfWrite(model, before, after, ctx.request, lookupsIn(ctx.db)))
      await recordAuditEvent({ db: ctx.db }, event, origin);
    await afterWrite(ctx, model, before, after);
  },
  /** Checks in the transaction of the new session, so that no sign-in succeeds after the account was disabled. */
  async expectInsertable({ db }, model, { userId }) {
    if (model !== "sessions" || typeof userId !== "string") return;
    const user = await db
      .query("users")
      .withIndex("id", (q) => q.eq("id", userId))
      .unique();
    if (user && user["disabledAt"] !== undefined) throw disabled();
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

export const deleteUser = serverMutation({
  args: { userId: v.string(), request: v.optional(authRequest) },
  returns: v.null(),
  handler: async (ctx, { userId, request = {} }) => {
    await deleteUserRows(ctx, userId, deletionOrigin(request, userId));
    return null;
  },
});
