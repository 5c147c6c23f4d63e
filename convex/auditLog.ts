import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { type Infer, v } from "convex/values";
import { serverMutation, serverMutationFor, userQuery } from "./model/access";
import { authRequest, signInMethod } from "./model/audit/authEvents";
import { auditEntry, filteredEvents, ownEvents, toAuditEntry } from "./model/audit/ownEvents";
import { recordAuditEvent } from "./model/audit/recordAuditEvent";
import { pageOf } from "./model/lists/paging";

/** The audit log (docs/decisions/215-audit-log.md). Other functions write their events in their own transaction. */

const shownEntry = v.object({ _id: v.id("auditEvents"), ...auditEntry.fields });
export type ShownAuditEntry = Infer<typeof shownEntry>;

/** Returns the caller's account activity: their own part of the log, newest first. */
export const list = userQuery({
  args: { ...filteredEvents, paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(shownEntry),
  handler: async ({ db, user }, { paginationOpts, ...filter }) => {
    const result = await ownEvents(db, user.id, filter).paginate(pageOf(paginationOpts));
    return { ...result, page: result.page.map((row) => ({ _id: row._id, ...toAuditEntry(row) })) };
  },
});

/** Records a rejected sign-in or password. The app server limits how many it records. */
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

/** Records a download of the account's data, or of its account activity. */
export const recordExport = serverMutationFor({
  args: { of: v.union(v.literal("data"), v.literal("accountActivity")) },
  returns: v.null(),
  handler: async (ctx, { of }) => {
    await recordAuditEvent(ctx, { action: `${of}.exported` });
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
