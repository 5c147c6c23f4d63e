import { v } from "convex/values";
import { serverQuery } from "./model/access";

const PAGE = 100;

/** Returns revocations after a time (exclusive, ms since 1970), newest first; null: only the newest. `connection`: a new one gets no cached result. */
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
