import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { type Infer, v } from "convex/values";
import type { Doc } from "../_generated/dataModel";
import { administratorMutation, administratorQuery, serverQueryForAdministrator } from "../model/access";
import { type FindPerson, peopleIn, personShape } from "../model/admin/shownPerson";
import { allEvents, filteredLog, READ_AT_ONCE } from "../model/audit/allEvents";
import { auditEntry, toAuditEntry } from "../model/audit/ownEvents";
import { recordAuditEvent } from "../model/audit/recordAuditEvent";
import { pageOf } from "../model/lists/paging";

const logEntry = v.object({
  _id: v.id("auditEvents"),
  ...auditEntry.fields,
  /** `person`: who acted, or whose account it concerns; null for none. `other`: the acting administrator, or the member concerned. */
  person: v.union(personShape, v.null()),
  other: v.union(personShape, v.null()),
});
export type LogEntry = Infer<typeof logEntry>;

const paged = { ...filteredLog, paginationOpts: paginationOptsValidator };

export const list = administratorQuery({
  args: paged,
  returns: paginationResultValidator(logEntry),
  handler: async (ctx, { paginationOpts, ...filter }) => {
    const events = await allEvents(ctx, filter);
    const result = await events.paginate({ ...pageOf(paginationOpts), maximumRowsRead: READ_AT_ONCE });
    const people = peopleIn(ctx);
    return { ...result, page: await Promise.all(result.page.map((row) => toLogEntry(row, people))) };
  },
});

const exportedEvent = v.object({
  id: v.id("auditEvents"),
  ...auditEntry.fields,
  userId: v.optional(v.string()),
  email: v.optional(v.string()),
  otherUserId: v.optional(v.string()),
  otherEmail: v.optional(v.string()),
});

export const exported = serverQueryForAdministrator({
  args: paged,
  returns: v.object({ page: v.array(exportedEvent), isDone: v.boolean(), continueCursor: v.string() }),
  handler: async (ctx, { paginationOpts, ...filter }) => {
    const events = await allEvents(ctx, filter);
    const { page, isDone, continueCursor } = await events.paginate({ ...pageOf(paginationOpts), maximumRowsRead: READ_AT_ONCE });
    const people = peopleIn(ctx);
    return { page: await Promise.all(page.map((row) => toExported(row, people))), isDone, continueCursor };
  },
});

export const recordExport = administratorMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    await recordAuditEvent(ctx, { action: "auditLog.exported" }, { actor: "administrator" });
    return null;
  },
});

async function toLogEntry(row: Doc<"auditEvents">, people: FindPerson): Promise<LogEntry> {
  const [whose, other] = await Promise.all([people(row.userId), people(row.otherUserId)]);
  return { _id: row._id, ...toAuditEntry(row), person: whose, other };
}

async function toExported(row: Doc<"auditEvents">, people: FindPerson): Promise<Infer<typeof exportedEvent>> {
  const { userId, otherUserId } = row;
  const [whose, other] = await Promise.all([people(userId), people(otherUserId)]);
  return {
    id: row._id,
    ...toAuditEntry(row),
    ...(userId !== undefined && { userId }),
    ...(whose?.email && { email: whose.email }),
    ...(otherUserId !== undefined && { otherUserId }),
    ...(other?.email && { otherEmail: other.email }),
  };
}
