import type { GenericDatabaseReader, OrderedQuery, NamedTableInfo } from "convex/server";
import { type Infer, type ObjectType, v } from "convex/values";
import type { DataModel, Doc } from "../../_generated/dataModel";
import { EARLIER_ACTION_NAMES } from "./auditActions";
import { auditCategory, auditEvent, earlierAction, earlierTarget } from "./auditTables";

const { userId: _, otherUserId: __, ...entryFields } = auditEvent;

/** An event as its account sees it, without ids of people. Open pages must accept actions, categories and kinds of later builds. */
export const auditEntry = v.object({
  ...entryFields,
  action: v.string(),
  category: v.string(),
  target: v.optional(v.object({ kind: v.string(), id: v.string() })),
});
export type AuditEntry = Infer<typeof auditEntry>;

const earlierEntry = v.object({ ...entryFields, action: earlierAction, target: v.optional(earlierTarget) });
export const earlierEntryFields = earlierEntry.fields;

/** Returns the entry, or null if pages of an earlier build cannot show it. */
export function toEarlierEntry(entry: AuditEntry): Infer<typeof earlierEntry> | null {
  return isEarlier(entry) ? entry : null;
}

const isEarlier = (entry: AuditEntry): entry is Infer<typeof earlierEntry> => EARLIER_ACTION_NAMES.some((name) => name === entry.action);

/** `since` is inclusive and `until` exclusive (milliseconds since 1970). */
export const filteredEvents = {
  category: v.optional(auditCategory),
  since: v.optional(v.number()),
  until: v.optional(v.number()),
};
export type AuditFilter = ObjectType<typeof filteredEvents>;

export function ownEvents(
  db: GenericDatabaseReader<DataModel>,
  userId: string,
  { category, since = 0, until = Infinity }: AuditFilter,
): OrderedQuery<NamedTableInfo<DataModel, "auditEvents">> {
  const events = db.query("auditEvents");
  const found =
    category === undefined
      ? events.withIndex("by_user", (q) => q.eq("userId", userId).gte("at", since).lt("at", until))
      : events.withIndex("by_user_category", (q) => q.eq("userId", userId).eq("category", category).gte("at", since).lt("at", until));
  return found.order("desc");
}

export function toAuditEntry({ _id, _creationTime, userId: _userId, otherUserId: _otherUserId, ...entry }: Doc<"auditEvents">): AuditEntry {
  return entry;
}
