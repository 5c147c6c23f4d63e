import { type Infer, v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation } from "./_generated/server";
import { sortNameOf } from "./order";
import { searchWords } from "./words";

/**
 * Gives rows of an earlier build what today's have: lists by name need one part of it, the search the other. Once for each table, in batches; from then on a run reads one row
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
        .withIndex("by_name", (q) => q.eq("name", doneWith(of)))
        .first();
      if (!done) await ctx.scheduler.runAfter(0, internal.upgrade.rows, { table: of, cursor: null });
    }
    return null;
  },
});

export const rows = internalMutation({
  args: { table, cursor: v.union(v.string(), v.null()) },
  returns: v.null(),
  handler: async ({ db, scheduler }, { table: of, cursor }) => {
    const { page, isDone, continueCursor } = await db.query(of).paginate({ cursor, numItems: BATCH });
    for (const row of page) {
      if (row.sortName !== undefined && row.words !== undefined) continue;
      await db.patch(row._id, { sortName: sortNameOf(row.name), words: searchWords(row) });
    }
    if (isDone) await db.insert("upgrades", { name: doneWith(of) });
    else await scheduler.runAfter(0, internal.upgrade.rows, { table: of, cursor: continueCursor });
    return null;
  },
});

/** Told by what was added last, so that all rows are gone through again when another field is. */
const doneWith = (of: Infer<typeof table>) => `words of ${of}`;
