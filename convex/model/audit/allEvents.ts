import { mergedStream, type QueryStream, stream } from "convex-helpers/server/stream";
import { type ObjectType, v } from "convex/values";
import type { Doc } from "../../_generated/dataModel";
import type { QueryCtx } from "../../_generated/server";
import schema from "../../schema";
import { userIdOf } from "../admin/shownPerson";
import { auditResult } from "./auditTables";
import { filteredEvents } from "./ownEvents";

export const filteredLog = {
  ...filteredEvents,
  result: v.optional(auditResult),
  /** Id or email address of an account: its events, and those in which it was the other person. */
  person: v.optional(v.string()),
};
export type LogFilter = ObjectType<typeof filteredLog>;

/** Events of other people that one page reads at most. Such a page can have fewer events than requested. */
export const READ_AT_ONCE = 2000;

/** Returns the events of all accounts, newest first. Every filter is a range of an index, except those of the other person's events. */
export async function allEvents(ctx: QueryCtx, filter: LogFilter): Promise<QueryStream<Doc<"auditEvents">>> {
  const { db } = ctx;
  const { person } = filter;
  if (person === undefined) return eventsOfAll(db, filter);
  const userId = await userIdOf(ctx, person);
  const { category, result, since = 0, until = Infinity } = filter;
  const asOther = stream(db, schema)
    .query("auditEvents")
    .withIndex("by_other_user", (q) => q.eq("otherUserId", userId).gte("at", since).lt("at", until))
    .order("desc")
    .filterWith(async (event) => event.userId !== userId && matches(event, { category, result }));
  return mergedStream([eventsOf(db, userId, filter), asOther], ["at"]);
}

function eventsOfAll(db: QueryCtx["db"], { category, result, since = 0, until = Infinity }: LogFilter): QueryStream<Doc<"auditEvents">> {
  const events = stream(db, schema).query("auditEvents");
  if (category !== undefined && result !== undefined)
    return events
      .withIndex("by_category_result", (q) => q.eq("category", category).eq("result", result).gte("at", since).lt("at", until))
      .order("desc");
  if (category !== undefined)
    return events.withIndex("by_category", (q) => q.eq("category", category).gte("at", since).lt("at", until)).order("desc");
  if (result !== undefined)
    return events.withIndex("by_result", (q) => q.eq("result", result).gte("at", since).lt("at", until)).order("desc");
  return events.withIndex("by_age", (q) => q.gte("at", since).lt("at", until)).order("desc");
}

function eventsOf(
  db: QueryCtx["db"],
  userId: string,
  { category, result, since = 0, until = Infinity }: LogFilter,
): QueryStream<Doc<"auditEvents">> {
  const events = stream(db, schema).query("auditEvents");
  if (category !== undefined && result !== undefined)
    return events
      .withIndex("by_user_category_result", (q) =>
        q.eq("userId", userId).eq("category", category).eq("result", result).gte("at", since).lt("at", until),
      )
      .order("desc");
  if (category !== undefined)
    return events
      .withIndex("by_user_category", (q) => q.eq("userId", userId).eq("category", category).gte("at", since).lt("at", until))
      .order("desc");
  if (result !== undefined)
    return events
      .withIndex("by_user_result", (q) => q.eq("userId", userId).eq("result", result).gte("at", since).lt("at", until))
      .order("desc");
  return events.withIndex("by_user", (q) => q.eq("userId", userId).gte("at", since).lt("at", until)).order("desc");
}

const matches = (event: Doc<"auditEvents">, { category, result }: Pick<LogFilter, "category" | "result">): boolean =>
  (category === undefined || event.category === category) && (result === undefined || event.result === result);
