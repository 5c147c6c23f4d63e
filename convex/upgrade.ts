import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation } from "./_generated/server";
import { sortNameOf } from "./order";

/**
 * Gives rows of an earlier build what today's have and lists by name need. Once for each table, in batches; from then on a run reads one row
 * per table and stops.
 */

const BATCH = 200;
const table = v.union(v.literal("projects"), v.literal("designs"), v.literal("designImages"));

/** Begins with each table that has not been gone through. */
export const run = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    for (const of of ["projects", "designs", "designImages"] as const) {
      const done = await ctx.db
        .query("upgrades")
        .withIndex("by_name", (q) => q.eq("name", `sortName of ${of}`))
        .first();
      if (!done) await ctx.scheduler.runAfter(0, internal.upgrade.sortNames, { table: of, cursor: null });
    }
    return null;
  },
});

export const sortNames = internalMutation({
  args: { table, cursor: v.union(v.string(), v.null()) },
  returns: v.null(),
  handler: async ({ db, scheduler }, { table: of, cursor }) => {
    const { page, isDone, continueCursor } = await db.query(of).paginate({ cursor, numItems: BATCH });
    for (const { _id, name, sortName } of page) if (sortName === undefined) await db.patch(_id, { sortName: sortNameOf(name) });
    if (isDone) await db.insert("upgrades", { name: `sortName of ${of}` });
    else await scheduler.runAfter(0, internal.upgrade.sortNames, { table: of, cursor: continueCursor });
    return null;
  },
});
