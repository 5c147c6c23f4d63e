import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { type Infer, v } from "convex/values";
import { serverMutation, serverMutationFor, userQuery } from "./model/access";
import { authRequest, signInMethod } from "./model/audit/authEvents";
import { auditEntry, earlierEntryFields, filteredEvents, ownEvents, toAuditEntry, toEarlierEntry } from "./model/audit/ownEvents";
import { auditTarget } from "./model/audit/auditTables";
import { recordAuditEvent } from "./model/audit/recordAuditEvent";
import { pageOf } from "./model/lists/paging";

/** The audit log (docs/decisions/215-audit-log.md). Other functions write their events in their own transaction. */

const shownEntry = v.object({ _id: v.id("auditEvents"), ...auditEntry.fields });
export type ShownAuditEntry = Infer<typeof shownEntry>;

export const listAll = userQuery({
  args: { ...filteredEvents, paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(shownEntry),
  handler: async ({ db, user }, { paginationOpts, ...filter }) => {
    const result = await ownEvents(db, user.id, filter).paginate(pageOf(paginationOpts));
    return { ...result, page: result.page.map((row) => ({ _id: row._id, ...toAuditEntry(row) })) };
  },
});

/** Serves open pages of earlier builds, which cannot show newer actions. */
export const list = userQuery({
  args: { ...filteredEvents, paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(v.object({ _id: v.id("auditEvents"), ...earlierEntryFields })),
  handler: async ({ db, user }, { paginationOpts, ...filter }) => {
    const result = await ownEvents(db, user.id, filter).paginate(pageOf(paginationOpts));
    const page = result.page.flatMap((row) => {
      const entry = toEarlierEntry(toAuditEntry(row));
      return entry ? [{ _id: row._id, ...entry }] : [];
    });
    return { ...result, page };
  },
});

export const recordFailure = serverMutation({
  args: {
    kind: v.union(v.literal("signIn"), v.literal("password")),
    request: authRequest,
    reason: v.string(),
    isLast: v.optional(v.literal(true)),
  },
  returns: v.null(),
  handler: async (ctx, { kind, request, reason, isLast }) => {
    const last = isLast && { isLast };
    const { userId, address } = request;
    if (kind === "signIn") {
      const details = { ...signInMethod(request), reason, ...last };
      await recordAuditEvent(ctx, { action: "signIn.failed", details }, { actor: "visitor", userId, address });
    } else await recordAuditEvent(ctx, { action: "password.rejected", ...(last && { details: last }) }, { actor: "user", userId, address });
    return null;
  },
});

/** Records a download of the account's data, of its account activity, or of an archive of images. `target`: the archived item. */
export const recordExport = serverMutationFor({
  args: { of: v.union(v.literal("data"), v.literal("accountActivity"), v.literal("archive")), target: v.optional(auditTarget) },
  returns: v.null(),
  handler: async (ctx, { of, target }) => {
    await recordAuditEvent(ctx, of === "archive" ? { action: "archive.downloaded", target } : { action: `${of}.exported` });
    return null;
  },
});

/** Records a scheduled backup. `name` is absent when none was taken; `isProven` is false after a failed test. */
export const recordBackup = serverMutation({
  args: { name: v.optional(v.string()), isProven: v.boolean() },
  returns: v.null(),
  handler: async (ctx, { name, isProven }) => {
    const target = name === undefined ? {} : { target: { kind: "backup" as const, id: name } };
    await recordAuditEvent(ctx, { action: isProven ? "backup.taken" : "backup.failed", ...target });
    return null;
  },
});

/** Records a command of the operator at its time. Ignores a repeated record, which the app server sends when it could not remove the first. `name`: the backup or snapshot. */
export const recordCommand = serverMutation({
  args: {
    action: v.union(
      v.literal("backup.taken"),
      v.literal("backup.written"),
      v.literal("backup.failed"),
      v.literal("backup.restored"),
      v.literal("database.rolledBack"),
    ),
    at: v.number(),
    name: v.optional(v.string()),
  },
  returns: v.null(),
  handler: async (ctx, { action, at, name }) => {
    const known = await ctx.db
      .query("auditEvents")
      .withIndex("by_age", (q) => q.eq("at", at))
      .collect();
    if (known.some((event) => event.action === action)) return null;
    const kind = action === "database.rolledBack" ? "snapshot" : "backup";
    await recordAuditEvent(ctx, { action, ...(name !== undefined && { target: { kind, id: name } }) }, { actor: "operator", at });
    return null;
  },
});

const SECRET = "BETTER_AUTH_SECRET";

/** Stores the settings of a starting app server, and records the names of those that have changed since the last start. */
export const recordStart = serverMutation({
  args: { retentionDays: v.number(), fingerprints: v.record(v.string(), v.string()) },
  returns: v.null(),
  handler: async (ctx, settings) => {
    const known = await ctx.db.query("auditSettings").first();
    if (!known) {
      await ctx.db.insert("auditSettings", settings);
      return null;
    }
    const changed = changedSettings(known.fingerprints, settings.fingerprints);
    if (changed.length > 0 || known.retentionDays !== settings.retentionDays) await ctx.db.patch(known._id, settings);
    if (changed.length > 0)
      await recordAuditEvent(ctx, { action: "settings.changed", details: { settings: changed } }, { actor: "operator" });
    return null;
  },
});

/** Returns only the secret when it has changed, because hashes with another key cannot be compared. */
function changedSettings(before: Record<string, string>, after: Record<string, string>): string[] {
  if (before[SECRET] !== after[SECRET]) return [SECRET];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => before[name] !== after[name]).toSorted();
}
