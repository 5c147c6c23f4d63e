import { v } from "convex/values";
import { internal } from "../../_generated/api";
import type { Doc } from "../../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../../_generated/server";
import { limit, limitReached, refusalOf } from "../errors";
import { rowOfFile } from "../images/files";
import { userOf } from "../members";
import { isOwn, limitsOf, refuseBeyondPlan } from "./limits";

/** Counts exclude the trash; bytes count each stored file once. Users without a row are counted at their first change. */

export const usageShape = v.object({ projects: v.number(), designs: v.number(), images: v.number(), bytes: v.number() });
export type Usage = typeof usageShape.type;

const COUNTED_AT_ONCE = 8000;

export async function usageFor(ctx: QueryCtx, ownerId: string): Promise<Usage> {
  const row = await usageOf(ctx, ownerId);
  if (row) return { projects: row.projects, designs: row.designs, images: row.images, bytes: row.bytes };
  return { ...(await liveCounts(ctx, ownerId)), bytes: await storedBytes(ctx, ownerId) };
}

async function storedBytes(ctx: QueryCtx, ownerId: string): Promise<number> {
  const images = await ctx.db
    .query("designImages")
    .withIndex("by_trash", (q) => q.eq("ownerId", ownerId))
    .take(COUNTED_AT_ONCE);
  const versions = await ctx.db
    .query("imageVersions")
    .withIndex("by_owner", (q) => q.eq("ownerId", ownerId))
    .take(COUNTED_AT_ONCE);
  const inComments = await ctx.db
    .query("commentImages")
    .withIndex("by_owner", (q) => q.eq("ownerId", ownerId))
    .take(COUNTED_AT_ONCE);
  const files = new Map([...images, ...versions, ...inComments].map(({ storageId, size }) => [storageId, size]));
  return [...files.values()].reduce((sum, size) => sum + size, 0);
}

/** Throws "limit", with the remaining bytes only for the owner. `quota` applies to owners without a quota of their own. */
export async function expectWithin(ctx: ActorCtx, ownerId: string, bytes: number, quota: number | undefined): Promise<void> {
  if (quota === undefined) return;
  const most = (await userOf(ctx, ownerId))?.quotaBytes ?? quota;
  const row = await usageOf(ctx, ownerId);
  const used = row && row.counting === undefined ? row.bytes : await storedBytes(ctx, ownerId);
  if (used + bytes <= most) return;
  throw isOwn(ctx, ownerId)
    ? limitReached(most - used, most)
    : limit("The project's owner has too little storage left. Nothing was added.");
}

/** Throws "limit" unless an owner has enough storage for the files of images copied from another owner. */
export async function expectRoomForFiles(ctx: ActorCtx, ownerId: string, by: Partial<Usage> & { bytes: number }): Promise<void> {
  await expectRoomFor(ctx, ownerId, by);
  if (by.bytes > 0) await expectWithin(ctx, ownerId, by.bytes, (await limitsOf(ctx)).quota);
}

/** Throws like `expectRoomForFiles`. Looks up each file only if not all fit, because reads per transaction are limited. */
export async function expectRoomForCopies(ctx: ActorCtx, ownerId: string, by: Partial<Usage>, images: CopiedImage[]): Promise<void> {
  const bytes = [...foreignFiles(ownerId, images).values()].reduce((sum, size) => sum + size, 0);
  if (await isWithinLimit(expectRoomForFiles(ctx, ownerId, { ...by, bytes }))) return;
  await expectRoomForFiles(ctx, ownerId, { ...by, bytes: await bytesOfCopies(ctx, ownerId, images) });
}

export async function isWithinLimit(checking: Promise<void>): Promise<boolean> {
  try {
    await checking;
    return true;
  } catch (error) {
    if (refusalOf(error)?.code === "limit") return false;
    throw error;
  }
}

/** Returns the bytes that copies of the images add for an owner, for whom each stored file counts once. */
export async function bytesOfCopies(ctx: QueryCtx, ownerId: string, images: CopiedImage[]): Promise<number> {
  let bytes = 0;
  for (const [storageId, size] of foreignFiles(ownerId, images)) if ((await rowOfFile(ctx, storageId, { ownerId })) === null) bytes += size;
  return bytes;
}

const foreignFiles = (ownerId: string, images: CopiedImage[]) =>
  new Map(images.filter((image) => image.ownerId !== ownerId).map(({ storageId, size }) => [storageId, size]));

type CopiedImage = Pick<Doc<"designImages">, "ownerId" | "storageId" | "size">;

type ActorCtx = QueryCtx & { user?: Pick<Doc<"users">, "id"> };

export async function expectRoomFor(ctx: ActorCtx, ownerId: string, by: Partial<Usage>): Promise<void> {
  await refuseBeyondPlan(ctx, ownerId, await usageFor(ctx, ownerId), by);
}

/** Throws "limit" beyond the plan (`limits.ts`). Does nothing without an owner (rows of earlier builds). */
export async function changeUsage(ctx: MutationCtx & ActorCtx, ownerId: string | undefined, by: Partial<Usage>): Promise<void> {
  if (ownerId === undefined) return;
  const row = await usageOf(ctx, ownerId);
  if (!row) {
    await ctx.scheduler.runAfter(0, internal.jobs.countUsage.count, { ownerId, run: 0, cursor: null });
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

export async function startUsage(ctx: MutationCtx, ownerId: string): Promise<void> {
  if (await usageOf(ctx, ownerId)) return;
  const project = await ctx.db
    .query("projects")
    .withIndex("by_owner", (q) => q.eq("ownerId", ownerId))
    .first();
  if (project === null) await ctx.db.insert("usage", { ownerId, projects: 0, designs: 0, images: 0, bytes: 0 });
}

export async function deleteUsage(ctx: MutationCtx, ownerId: string): Promise<void> {
  const row = await usageOf(ctx, ownerId);
  if (row) await ctx.db.delete(row._id);
}

async function startCount(ctx: MutationCtx, { _id, ownerId, bytes }: Doc<"usage">, run: number): Promise<void> {
  await ctx.db.patch(_id, { bytes, counting: run });
  await ctx.scheduler.runAfter(0, internal.jobs.countUsage.count, { ownerId, run, cursor: null });
}

export function usageOf(ctx: QueryCtx, ownerId: string) {
  return ctx.db
    .query("usage")
    .withIndex("by_owner", (q) => q.eq("ownerId", ownerId))
    .unique();
}

export async function liveCounts(ctx: QueryCtx, ownerId: string): Promise<Omit<Usage, "bytes">> {
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
