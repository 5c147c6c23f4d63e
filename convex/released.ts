import { paginationOptsValidator } from "convex/server";
import { v } from "convex/values";
import { serverQuery } from "./model/access";

/** App servers subscribe to deletions and delete their variants (`app/features/images/`). */

const PAGE = 1000;

/** Returns files deleted after a time (exclusive, in milliseconds since 1970). */
export const since = serverQuery({
  args: { after: v.number() },
  returns: v.array(v.object({ checksum: v.string(), at: v.number() })),
  handler: async ({ db }, { after }) => {
    const rows = await db
      .query("releasedFiles")
      .withIndex("by_creation_time", (q) => q.gt("_creationTime", after))
      .take(PAGE);
    return rows.map(({ checksum, _creationTime: at }) => ({ checksum, at }));
  },
});

/** Returns files deleted from a time on (inclusive, in milliseconds since 1970). Files with the same time can span several pages. */
export const list = serverQuery({
  args: { from: v.number(), paginationOpts: paginationOptsValidator },
  returns: v.object({
    page: v.array(v.object({ id: v.string(), checksum: v.string(), at: v.number() })),
    isDone: v.boolean(),
    continueCursor: v.string(),
  }),
  handler: async ({ db }, { from, paginationOpts }) => {
    const { page, isDone, continueCursor } = await db
      .query("releasedFiles")
      .withIndex("by_creation_time", (q) => q.gte("_creationTime", from))
      .paginate(paginationOpts);
    return { page: page.map(({ _id: id, checksum, _creationTime: at }) => ({ id, checksum, at })), isDone, continueCursor };
  },
});

export const latest = serverQuery({
  args: {},
  returns: v.union(v.string(), v.null()),
  handler: async ({ db }) => (await db.query("releasedFiles").order("desc").first())?._id ?? null,
});

export const living = serverQuery({
  args: {
    table: v.union(v.literal("designImages"), v.literal("imageVersions"), v.literal("commentImages")),
    paginationOpts: paginationOptsValidator,
  },
  returns: v.object({ page: v.array(v.string()), isDone: v.boolean(), continueCursor: v.string() }),
  handler: async ({ db }, { table, paginationOpts }) => {
    const { page, isDone, continueCursor } = await db.query(table).paginate(paginationOpts);
    return { page: page.map(({ checksum }) => checksum), isDone, continueCursor };
  },
});

export { sweep } from "./jobs/sweepReleased";
