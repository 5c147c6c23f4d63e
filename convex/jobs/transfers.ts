import { v } from "convex/values";
import { internal } from "../_generated/api";
import type { Doc } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { internalMutation } from "../model/functions";
import { bytesInComments } from "../model/comments/commentImages";
import { withLimits } from "../model/limits/limits";
import { expectRoomForFiles, isWithinLimit } from "../model/limits/usage";
import { endOfferNotice } from "../model/notifications/notify";
import { bytesOf, positionFields, rowsAt, START } from "../model/transfers/projectRows";
import { transferDesign, transferImages } from "../model/transfers/transferRows";
import { transferProject } from "../model/transfers/transfers";

/** Each batch schedules the next. Repeated batches change nothing, because they skip rows of the new owner. */

/** Rows per transaction, because each file is looked up for both owners. */
const ROWS_MAX = 200;
const BATCH = 100;
/** `resume` continues transfers whose last batch is older (milliseconds). */
const RESUME_AFTER = 60 * 60 * 1000;

const step = { id: v.id("transfers"), run: v.number(), position: v.optional(v.object(positionFields)) };

/** Adds up the bytes of a large project, and then changes its owner if the recipient has enough storage. */
export const measure = internalMutation({
  args: { ...step, bytes: v.optional(v.number()) },
  returns: v.null(),
  handler: async (ctx, { id, run, position = START, bytes: before = 0 }) => {
    const transfer = await ctx.db.get(id);
    if (transfer?.state !== "measuring" || transfer.run !== run) return null;
    const { projectId, toId } = transfer;
    const { images, designs: ended, next } = await rowsAt(ctx, projectId, position);
    const bytes = before + (await bytesOf(ctx, images, transfer)) + (await bytesInComments(ctx, ended));
    if (next) {
      await ctx.db.patch(id, { movedAt: Date.now() });
      await ctx.scheduler.runAfter(0, internal.jobs.transfers.measure, { id, run, position: next, bytes });
      return null;
    }
    const project = await ctx.db.get(projectId);
    if (project?.ownerId !== transfer.fromId || project.removedAt !== undefined) {
      await ctx.db.patch(id, { state: "offered" });
      return null;
    }
    const { isLimited = false, quota } = transfer;
    const acting = withLimits(ctx, toId, { isLimited, ...(quota !== undefined && { quota }) });
    const { designCount: designs, imageCount } = project;
    const hasRoom = await isWithinLimit(expectRoomForFiles(acting, toId, { projects: 1, designs, images: imageCount, bytes }));
    if (hasRoom) await transferProject(ctx, transfer, project);
    else await ctx.db.patch(id, { state: "refused" });
    return null;
  },
});

export const move = internalMutation({
  args: step,
  returns: v.null(),
  handler: async (ctx, { id, run, position = START }) => {
    const transfer = await ctx.db.get(id);
    if (transfer?.state !== "moving" || transfer.run !== run) return null;
    const { images, designs, next } = await rowsAt(ctx, transfer.projectId, position);
    const isPartial = (await transferImages(ctx, images, transfer.toId, ROWS_MAX)) >= ROWS_MAX;
    if (!isPartial) for (const design of designs) await transferDesign(ctx, design, transfer);
    await ctx.db.patch(id, { movedAt: Date.now() });
    const following = isPartial ? position : next;
    if (following) await ctx.scheduler.runAfter(0, internal.jobs.transfers.move, { id, run, position: following });
    else await ctx.scheduler.runAfter(0, internal.jobs.transfers.moveHistory, { id, run, cursor: null });
    return null;
  },
});

export const moveHistory = internalMutation({
  args: { id: v.id("transfers"), run: v.number(), cursor: v.union(v.string(), v.null()) },
  returns: v.null(),
  handler: async (ctx, { id, run, cursor }) => {
    const transfer = await ctx.db.get(id);
    if (transfer?.state !== "moving" || transfer.run !== run) return null;
    const { page, isDone, continueCursor } = await ctx.db
      .query("activities")
      .withIndex("by_project", (q) => q.eq("projectId", transfer.projectId))
      .paginate({ cursor, numItems: BATCH });
    for (const { _id, ownerId } of page) if (ownerId !== transfer.toId) await ctx.db.patch(_id, { ownerId: transfer.toId });
    if (isDone) await ctx.db.delete(id);
    else await ctx.scheduler.runAfter(0, internal.jobs.transfers.moveHistory, { id, run, cursor: continueCursor });
    return null;
  },
});

export const expire = internalMutation({
  args: { id: v.id("transfers") },
  returns: v.null(),
  handler: async (ctx, { id }) => {
    const transfer = await ctx.db.get(id);
    const isRunning = transfer?.state === "measuring" || transfer?.state === "moving";
    if (!transfer || isRunning || transfer.expiresAt > Date.now()) return null;
    await ctx.db.delete(id);
    await endOfferNotice(ctx, transfer);
    return null;
  },
});

export const resume = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    for (const state of ["measuring", "moving"] as const) {
      const stopped = await ctx.db
        .query("transfers")
        .withIndex("by_state", (q) => q.eq("state", state).lt("movedAt", Date.now() - RESUME_AFTER))
        .take(BATCH);
      for (const transfer of stopped) await restart(ctx, transfer, state);
    }
    return null;
  },
});

async function restart(ctx: MutationCtx, { _id: id, run: before }: Doc<"transfers">, state: "measuring" | "moving"): Promise<void> {
  const run = before + 1;
  await ctx.db.patch(id, { run, movedAt: Date.now() });
  await ctx.scheduler.runAfter(0, state === "moving" ? internal.jobs.transfers.move : internal.jobs.transfers.measure, { id, run });
}
