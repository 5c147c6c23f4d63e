import { v } from "convex/values";
import { internal } from "./_generated/api";
import type { Doc } from "./_generated/dataModel";
import { internalMutation, type MutationCtx, type QueryCtx } from "./_generated/server";
import { userQuery } from "./access";
import { noRoom } from "./errors";
import { refuseBeyondPlan } from "./limits";

/**
 * How much somebody has: one row per person, changed in every mutation that makes, moves or deletes something. Projects, designs and images
 * are those that are not in the trash; bytes are those of all stored files, each once however many images share it, until it is deleted.
 *
 * People from before the table have no row: their first change has it counted, in batches.
 */

const usageShape = v.object({ projects: v.number(), designs: v.number(), images: v.number(), bytes: v.number() });
type Usage = typeof usageShape.type;

/** Rows that are looked at by somebody without a row of their own, who has changed nothing since there is such a row. */
const COUNTED_AT_ONCE = 8000;
const COUNT_BATCH = 1000;

/** The caller's. */
export const getUsage = userQuery({
  args: {},
  returns: usageShape,
  handler: (ctx): Promise<Usage> => usageFor(ctx, ctx.user.id),
});

/** Somebody's. */
async function usageFor(ctx: QueryCtx, ownerId: string): Promise<Usage> {
  const row = await usageOf(ctx, ownerId);
  if (row) return { projects: row.projects, designs: row.designs, images: row.images, bytes: row.bytes };
  const images = await ctx.db
    .query("designImages")
    .withIndex("by_trash", (q) => q.eq("ownerId", ownerId))
    .take(COUNTED_AT_ONCE);
  const versions = await ctx.db
    .query("imageVersions")
    .withIndex("by_owner", (q) => q.eq("ownerId", ownerId))
    .take(COUNTED_AT_ONCE);
  const files = new Map([...images, ...versions].map(({ storageId, size }) => [storageId, size]));
  return { ...(await liveCounts(ctx, ownerId)), bytes: [...files.values()].reduce((sum, size) => sum + size, 0) };
}

/** Throws "limit" where somebody would have more bytes than their quota, if there is one. */
export async function expectWithin(ctx: QueryCtx, ownerId: string, bytes: number, quota: number | undefined): Promise<void> {
  if (quota === undefined) return;
  const { bytes: used } = await usageFor(ctx, ownerId);
  if (used + bytes > quota) throw noRoom(quota - used);
}

/** Throws "limit" where the owner's plan has no room for what is to come, at once or bit by bit. */
export async function expectRoomFor(ctx: QueryCtx, ownerId: string, by: Partial<Usage>): Promise<void> {
  await refuseBeyondPlan(ctx, ownerId, await usageFor(ctx, ownerId), by);
}

/**
 * Adds what came, or takes off what went, in the mutation in which it did. Without an owner (a row from before the field) nothing. Throws
 * "limit" where their plan has no room for it (`limits.ts`).
 */
export async function changeUsage(ctx: MutationCtx, ownerId: string | undefined, by: Partial<Usage>): Promise<void> {
  if (ownerId === undefined) return;
  const row = await usageOf(ctx, ownerId);
  if (!row) {
    // What this mutation changes is counted with all else, once it is done.
    await ctx.scheduler.runAfter(0, internal.usage.count, { ownerId, run: 0, cursor: null });
    return;
  }
  await refuseBeyondPlan(ctx, ownerId, row, by);
  const { projects = 0, designs = 0, images = 0, bytes = 0 } = by;
  await ctx.db.patch(row._id, {
    projects: row.projects + projects,
    designs: row.designs + designs,
    images: row.images + images,
    bytes: row.bytes + bytes,
  });
  if (row.counting !== undefined && bytes !== 0) await startCount(ctx, { ...row, bytes: 0 }, row.counting + 1);
}

/**
 * A batch of a count of somebody's files, first those of images, then of versions; the first batch also takes the sums of their projects. A
 * change meanwhile starts it over, so that what it adds up is one state of things.
 */
export const count = internalMutation({
  args: { ownerId: v.string(), run: v.number(), cursor: v.union(v.string(), v.null()), ofVersions: v.optional(v.boolean()) },
  returns: v.null(),
  handler: async (ctx, { ownerId, run, cursor, ofVersions = false }) => {
    let row = await usageOf(ctx, ownerId);
    // Several changes without a row each ask for the first count; it is made once.
    if (row && run === 0 && cursor === null && !ofVersions) return null;
    if (!row) {
      if (!(await isSomebody(ctx, ownerId))) return null;
      const id = await ctx.db.insert("usage", { ownerId, ...(await liveCounts(ctx, ownerId)), bytes: 0, counting: run });
      row = await ctx.db.get(id);
    }
    if (!row || row.counting !== run) return null;
    const rows = ofVersions
      ? ctx.db.query("imageVersions").withIndex("by_owner", (q) => q.eq("ownerId", ownerId))
      : ctx.db.query("designImages").withIndex("by_trash", (q) => q.eq("ownerId", ownerId));
    const { page, isDone, continueCursor } = await rows.paginate({ cursor, numItems: COUNT_BATCH });
    let { bytes } = row;
    for (const each of page) if (await isFirstOfItsFile(ctx, each)) bytes += each.size;
    const isOver = isDone && ofVersions;
    await ctx.db.patch(row._id, { bytes, counting: isOver ? undefined : run });
    const next = isDone ? { cursor: null, ofVersions: true } : { cursor: continueCursor, ofVersions };
    if (!isOver) await ctx.scheduler.runAfter(0, internal.usage.count, { ownerId, run, ...next });
    return null;
  },
});

/** Forgets somebody whose account is gone. */
export async function forgetUsage(ctx: MutationCtx, ownerId: string): Promise<void> {
  const row = await usageOf(ctx, ownerId);
  if (row) await ctx.db.delete(row._id);
}

async function startCount(ctx: MutationCtx, { _id, ownerId, bytes }: Doc<"usage">, run: number): Promise<void> {
  await ctx.db.patch(_id, { bytes, counting: run });
  await ctx.scheduler.runAfter(0, internal.usage.count, { ownerId, run, cursor: null });
}

function usageOf(ctx: QueryCtx, ownerId: string) {
  return ctx.db
    .query("usage")
    .withIndex("by_owner", (q) => q.eq("ownerId", ownerId))
    .unique();
}

async function liveCounts(ctx: QueryCtx, ownerId: string): Promise<Omit<Usage, "bytes">> {
  const projects = await ctx.db
    .query("projects")
    .withIndex("by_owner", (q) => q.eq("ownerId", ownerId).eq("removedAt", undefined))
    .take(COUNTED_AT_ONCE);
  return {
    projects: projects.length,
    designs: projects.reduce((sum, { designCount }) => sum + designCount, 0),
    images: projects.reduce((sum, { imageCount }) => sum + imageCount, 0),
  };
}

/** Whether they have an account still: a late change must leave no row behind it. */
async function isSomebody(ctx: QueryCtx, ownerId: string): Promise<boolean> {
  const user = await ctx.db
    .query("users")
    .withIndex("id", (q) => q.eq("id", ownerId))
    .first();
  return user !== null;
}

/** Of all images and versions that share a file the first one counts it. */
async function isFirstOfItsFile(ctx: QueryCtx, { _id, storageId }: Doc<"designImages"> | Doc<"imageVersions">): Promise<boolean> {
  for (const table of ["designImages", "imageVersions"] as const) {
    const first = await ctx.db
      .query(table)
      .withIndex("by_storage", (q) => q.eq("storageId", storageId))
      .first();
    if (first) return first._id === _id;
  }
  return false;
}
