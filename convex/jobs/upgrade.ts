import { v } from "convex/values";
import { internal } from "../_generated/api";
import { internalMutation } from "../model/functions";
import { upgradeFavourite } from "../model/items/favourites";
import { countBytes } from "../model/images/countBytes";
import {
  areBytesUpgraded,
  finishBytes,
  finishFavourites,
  isFavouritesUpgraded,
  isUpgraded,
  upgradedTable,
  upgradedTables,
  upgradeOf,
  upgradeRow,
} from "../model/upgrades";

/** The search terms of a long text take milliseconds, and Convex limits a function to one second. */
const BATCH = 50;

/** Each favourite reads up to 100 rows of its list, and Convex limits a function to 32,000. */
const FAVOURITES_BATCH = 200;

export const run = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    for (const table of upgradedTables) {
      if (!(await isUpgraded(ctx, table))) await ctx.scheduler.runAfter(0, internal.jobs.upgrade.rows, { table, cursor: null });
    }
    if (!(await isFavouritesUpgraded(ctx)))
      await ctx.scheduler.runAfter(0, internal.jobs.upgrade.favourites, { table: "projects", cursor: null });
    if (!(await areBytesUpgraded(ctx))) await ctx.scheduler.runAfter(0, internal.jobs.upgrade.bytes, { cursor: null });
    return null;
  },
});

export const favourites = internalMutation({
  args: { table: v.union(v.literal("projects"), v.literal("designs")), cursor: v.union(v.string(), v.null()) },
  returns: v.null(),
  handler: async (ctx, { table, cursor }) => {
    const { page, isDone, continueCursor } = await ctx.db.query(table).paginate({ cursor, numItems: FAVOURITES_BATCH });
    for (const row of page) await upgradeFavourite(ctx, row);
    if (!isDone) await ctx.scheduler.runAfter(0, internal.jobs.upgrade.favourites, { table, cursor: continueCursor });
    else if (table === "projects") await ctx.scheduler.runAfter(0, internal.jobs.upgrade.favourites, { table: "designs", cursor: null });
    else await finishFavourites(ctx);
    return null;
  },
});

/** Counts the bytes of images of earlier builds. Each batch can be repeated, because counted images have the field. */
export const bytes = internalMutation({
  args: { cursor: v.union(v.string(), v.null()) },
  returns: v.null(),
  handler: async (ctx, { cursor }) => {
    const { page, isDone, continueCursor } = await ctx.db.query("designImages").paginate({ cursor, numItems: BATCH });
    await countBytes(
      ctx,
      page.filter((image) => image.bytes === undefined),
    );
    if (!isDone) await ctx.scheduler.runAfter(0, internal.jobs.upgrade.bytes, { cursor: continueCursor });
    else await finishBytes(ctx);
    return null;
  },
});

export const rows = internalMutation({
  args: { table: upgradedTable, cursor: v.union(v.string(), v.null()) },
  returns: v.null(),
  handler: async (ctx, { table, cursor }) => {
    const { db, scheduler } = ctx;
    const { page, isDone, continueCursor } = await db.query(table).paginate({ cursor, numItems: BATCH });
    for (const row of page) await upgradeRow(ctx, row);
    if (!isDone) await scheduler.runAfter(0, internal.jobs.upgrade.rows, { table, cursor: continueCursor });
    else if (!(await isUpgraded(ctx, table))) await db.insert("upgrades", { name: upgradeOf(table) });
    return null;
  },
});

/** Merges a tag into another one with the same key. Reschedules itself until no item has the old tag. */
export const mergeTags = internalMutation({
  args: { from: v.id("tags"), into: v.id("tags") },
  returns: v.null(),
  handler: async ({ db, scheduler }, { from, into }) => {
    const [old, kept] = [await db.get(from), await db.get(into)];
    if (old === null || kept === null) return null;
    const taggings = await db
      .query("taggings")
      .withIndex("by_tag", (q) => q.eq("tagId", from))
      .take(BATCH);
    let moved = 0;
    for (const { _id, thing } of taggings) {
      const duplicate = await db
        .query("taggings")
        .withIndex("by_thing", (q) => q.eq("thing", thing).eq("tagId", into))
        .first();
      if (duplicate) await db.delete(_id);
      else await db.patch(_id, { tagId: into });
      if (!duplicate) moved++;
    }
    await db.patch(into, { uses: kept.uses + moved });
    if (taggings.length < BATCH) await db.delete(from);
    else await scheduler.runAfter(0, internal.jobs.upgrade.mergeTags, { from, into });
    return null;
  },
});
