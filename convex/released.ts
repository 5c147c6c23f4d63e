import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation } from "./_generated/server";
import { serverQuery } from "./access";
import { RELEASED_TOLD_FOR } from "./rules";

/**
 * Which files were deleted lately, by their content. App servers keep smaller copies of pictures on their own disks (`app/images/`): they
 * subscribe to this, so that with a picture its copies go, wherever they lie.
 */

const PAGE = 1000;
const BATCH = 500;

/** What was deleted after a moment (milliseconds since 1970), the first first, as much as an answer may hold. */
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

/** Removes what needs to be told no more: hourly. */
export const sweep = internalMutation({
  args: {},
  returns: v.null(),
  handler: async ({ db, scheduler }) => {
    const rows = await db
      .query("releasedFiles")
      .withIndex("by_creation_time", (q) => q.lt("_creationTime", Date.now() - RELEASED_TOLD_FOR))
      .take(BATCH);
    for (const { _id } of rows) await db.delete(_id);
    if (rows.length === BATCH) await scheduler.runAfter(0, internal.released.sweep, {});
    return null;
  },
});
