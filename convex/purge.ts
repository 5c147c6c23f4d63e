import { v } from "convex/values";
import { internal } from "./_generated/api";
import type { Doc, Id } from "./_generated/dataModel";
import { internalMutation, type MutationCtx } from "./_generated/server";
import { releaseFile } from "./files";
import { VERSIONS_MAX } from "./rules";
import { changeUsage, forgetUsage } from "./usage";
import { deleteVersions } from "./versions";

/**
 * Deletes what was removed: rows and files, a batch per transaction. A batch that leaves something schedules the next one in its own
 * transaction, so that a restart between two loses nothing. What is in a removed thing is hidden already and deleted from the leaves up:
 * never a row whose parent is gone. Each step is told an id and tolerates that it is gone, so a step that runs twice does no harm.
 */

/** Rows that one transaction deletes: far within its limits, and soon over, since other writers wait for it. */
export const PURGE_BATCH = 100;
/** How long a removal may take before `resume` takes it up again (milliseconds). */
const RESUME_AFTER = 60 * 60 * 1000;

export const image = internalMutation({
  args: { id: v.id("designImages") },
  returns: v.null(),
  handler: async (ctx, { id }) => {
    const row = await ctx.db.get(id);
    if (row) await deleteImage(ctx, row);
    return null;
  },
});

export const design = internalMutation({
  args: { id: v.id("designs") },
  returns: v.null(),
  handler: async (ctx, { id }) => {
    const deleted = await deleteDesign(ctx, id, PURGE_BATCH);
    if (deleted === PURGE_BATCH) await ctx.scheduler.runAfter(0, internal.purge.design, { id });
    return null;
  },
});

export const project = internalMutation({
  args: { id: v.id("projects") },
  returns: v.null(),
  handler: async (ctx, { id }) => {
    let left = PURGE_BATCH;
    const designs = await ctx.db
      .query("designs")
      .withIndex("by_project", (q) => q.eq("projectId", id))
      .take(PURGE_BATCH);
    for (const each of designs) {
      left -= await deleteDesign(ctx, each._id, left);
      if (left === 0) {
        await ctx.scheduler.runAfter(0, internal.purge.project, { id });
        return null;
      }
    }
    const history = await ctx.db
      .query("activities")
      .withIndex("by_project", (q) => q.eq("projectId", id))
      .take(left);
    for (const { _id } of history) await ctx.db.delete(_id);
    if (history.length === left) await ctx.scheduler.runAfter(0, internal.purge.project, { id });
    else if (await ctx.db.get(id)) await ctx.db.delete(id);
    return null;
  },
});

/** Removes all projects of somebody whose account is gone, a batch at a time. */
export const owner = internalMutation({
  args: { ownerId: v.string() },
  returns: v.null(),
  handler: async (ctx, { ownerId }) => {
    const projects = await ctx.db
      .query("projects")
      .withIndex("by_owner", (q) => q.eq("ownerId", ownerId).eq("removedAt", undefined))
      .take(PURGE_BATCH);
    for (const { _id } of projects) {
      await ctx.db.patch(_id, { removedAt: Date.now() });
      await ctx.scheduler.runAfter(0, internal.purge.project, { id: _id });
    }
    if (projects.length === PURGE_BATCH) await ctx.scheduler.runAfter(0, internal.purge.owner, { ownerId });
    else await forgetUsage(ctx, ownerId);
    return null;
  },
});

/** Takes up removals that were left unfinished, for instance by a batch that failed: the oldest of each kind. */
export const resume = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const before = Date.now() - RESUME_AFTER;
    const projects = await ctx.db
      .query("projects")
      .withIndex("by_removal", (q) => q.gt("removedAt", 0).lt("removedAt", before))
      .take(PURGE_BATCH);
    for (const { _id } of projects) await ctx.scheduler.runAfter(0, internal.purge.project, { id: _id });
    const designs = await ctx.db
      .query("designs")
      .withIndex("by_removal", (q) => q.gt("removedAt", 0).lt("removedAt", before))
      .take(PURGE_BATCH);
    for (const { _id } of designs) await ctx.scheduler.runAfter(0, internal.purge.design, { id: _id });
    const images = await ctx.db
      .query("designImages")
      .withIndex("by_removal", (q) => q.gt("removedAt", 0).lt("removedAt", before))
      .take(PURGE_BATCH);
    for (const { _id } of images) await ctx.scheduler.runAfter(0, internal.purge.image, { id: _id });
    return null;
  },
});

/** Deletes up to `limit` rows, a design's images and then itself, and answers how many; fewer than `limit` means that nothing is left. */
async function deleteDesign(ctx: MutationCtx, id: Id<"designs">, limit: number): Promise<number> {
  const images = await ctx.db
    .query("designImages")
    .withIndex("by_design", (q) => q.eq("designId", id))
    .take(limit);
  let left = limit;
  for (const each of images) {
    if (left <= 0) break;
    left -= await deleteImage(ctx, each);
  }
  if (left <= 0) return limit;
  if (await ctx.db.get(id)) await ctx.db.delete(id);
  return limit - left + 1;
}

/** Deletes an image with its versions, and answers how many rows that were: by so few may a batch be larger than its limit. */
async function deleteImage(ctx: MutationCtx, row: Doc<"designImages">): Promise<number> {
  await ctx.db.delete(row._id);
  const versions = row.versionId === undefined ? 0 : await deleteVersions(ctx, row._id, VERSIONS_MAX);
  // That of its only version; several have released theirs.
  if (await releaseFile(ctx, row.storageId)) await changeUsage(ctx, row.ownerId, { bytes: -row.size });
  return versions + 1;
}
