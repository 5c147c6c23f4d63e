import { v } from "convex/values";
import { serverQuery } from "./model/access";

/** App servers subscribe to revocations, and load the affected images again (`app/features/images/serve/`). */

const PAGE = 100;

/**
 * Returns the newest revocations after a time (exclusive, in ms since 1970), at most 100, newest first. With null, only
 * the newest. Each connection is another subscription, so that its first result is not that of an earlier connection.
 */
export const since = serverQuery({
  args: { after: v.union(v.number(), v.null()), connection: v.number() },
  returns: v.object({
    revocations: v.array(v.object({ id: v.string(), rows: v.array(v.string()), at: v.number() })),
    isComplete: v.boolean(),
  }),
  handler: async ({ db }, { after }) => {
    const rows = await db
      .query("revocations")
      .withIndex("by_creation_time", (q) => q.gt("_creationTime", after ?? 0))
      .order("desc")
      .take(after === null ? 1 : PAGE);
    const revocations = rows.map(({ _id: id, rows, _creationTime: at }) => ({ id, rows, at }));
    return { revocations, isComplete: rows.length < PAGE };
  },
});
