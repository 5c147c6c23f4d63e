import { type Infer, v } from "convex/values";
import { internal } from "./_generated/api";
import type { Doc } from "./_generated/dataModel";
import type { QueryCtx } from "./_generated/server";
import { type CallerCtx, hasRight, projectFor, serverMutationFor, userMutation, type UserMutationCtx, userQuery } from "./model/access";
import { recordAuditEvent } from "./model/audit/recordAuditEvent";
import { conflict, invalid, notFound } from "./model/errors";
import { limitsOf } from "./model/limits/limits";
import { expectRoomForFiles, isWithinLimit, usageOf } from "./model/limits/usage";
import { bytesInComments } from "./model/comments/commentImages";
import { memberOf, nameOf, userOf } from "./model/members";
import { endOfferNotice } from "./model/notifications/notify";
import { openOffers } from "./model/transfers/openOffers";
import { bytesOf, rowsOfSmallProject } from "./model/transfers/projectRows";
import { transferProject, isOpen, notifyOfTransfer, transferOf } from "./model/transfers/transfers";
import { transferState } from "./model/transfers/transferTables";

const LIFE_MS = 7 * 24 * 60 * 60 * 1000;

/** Offers a project to a member. The app server checks that the owner has signed in recently. Throws "conflict" for a second offer. */
export const offer = serverMutationFor({
  args: { projectId: v.string(), userId: v.string() },
  returns: v.null(),
  handler: async (ctx, { projectId, userId }) => {
    const project = await projectFor(ctx, projectId, "transfer");
    if (!(await memberOf(ctx, project._id, userId))) throw invalid({ userId: ["Choose a member of the project."] });
    const earlier = await transferOf(ctx, project._id);
    if (earlier && (isOpen(earlier) || earlier.state === "measuring")) throw conflict("This project is already offered to a member.");
    if (earlier?.state === "moving") throw conflict("This project is being transferred. Try again in a moment.");
    if (earlier) await ctx.db.delete(earlier._id);
    const createdAt = Date.now();
    const expiresAt = createdAt + LIFE_MS;
    const people = { projectId: project._id, fromId: ctx.user.id, toId: userId };
    const id = await ctx.db.insert("transfers", { ...people, state: "offered", createdAt, expiresAt, run: 0 });
    await ctx.scheduler.runAt(expiresAt, internal.jobs.transfers.expire, { id });
    await notifyOfTransfer(ctx, userId, "transferOffered", { projectId: project._id, actorId: ctx.user.id });
    await recordAuditEvent(ctx, { action: "transfer.offered", target: { kind: "project", id: project._id } }, { otherUserId: userId });
    return null;
  },
});

/** Withdraws an offer, or dismisses a declined one. Throws "not_found" after the recipient has accepted. */
export const cancel = userMutation({
  args: { projectId: v.string() },
  returns: v.null(),
  handler: async (ctx, { projectId }) => {
    const project = await projectFor(ctx, projectId, "transfer");
    const transfer = await transferOf(ctx, project._id);
    if (transfer?.fromId !== ctx.user.id || transfer.state === "moving") throw notFound();
    await ctx.db.delete(transfer._id);
    await endOfferNotice(ctx, transfer);
    if (transfer.state !== "declined") await recordTransfer(ctx, "transfer.cancelled", transfer);
    return null;
  },
});

/** Makes the caller the owner. For a large project, a job first sums its bytes. Throws "limit" if the caller has too little storage. */
export const accept = userMutation({
  args: { transferId: v.string() },
  returns: v.null(),
  handler: async (ctx, { transferId }) => {
    const { transfer, project } = await offerFor(ctx, transferId);
    const limits = await limitsOf(ctx);
    const { designCount: designs, imageCount: images } = project;
    const counts = { projects: 1, designs, images };
    const most = await bytesOfOwner(ctx, transfer.fromId);
    const isUnlimited = limits.quota === undefined && !limits.isLimited;
    if (isUnlimited || (most !== null && (await isWithinLimit(expectRoomForFiles(ctx, ctx.user.id, { ...counts, bytes: most }))))) {
      await transferProject(ctx, transfer, project);
      await recordTransfer(ctx, "transfer.accepted", transfer);
      return null;
    }
    const rows = await rowsOfSmallProject(ctx, project._id);
    await expectRoomForFiles(ctx, ctx.user.id, { ...counts, bytes: rows ? await bytesOfRows(ctx, rows, transfer) : 0 });
    await recordTransfer(ctx, "transfer.accepted", transfer);
    if (rows) {
      await transferProject(ctx, transfer, project);
      return null;
    }
    const run = transfer.run + 1;
    await ctx.db.patch(transfer._id, { state: "measuring", run, movedAt: Date.now(), ...limits });
    await ctx.scheduler.runAfter(0, internal.jobs.transfers.measure, { id: transfer._id, run });
    return null;
  },
});

async function bytesOfRows(
  ctx: QueryCtx,
  { designs, images }: NonNullable<Awaited<ReturnType<typeof rowsOfSmallProject>>>,
  owners: Doc<"transfers">,
) {
  return (await bytesOf(ctx, images, owners)) + (await bytesInComments(ctx, designs));
}

/** Returns an upper limit for the bytes of each project of an owner; null while they are counted. */
async function bytesOfOwner(ctx: QueryCtx, ownerId: string): Promise<number | null> {
  const usage = await usageOf(ctx, ownerId);
  return usage && usage.counting === undefined ? usage.bytes : null;
}

export const decline = userMutation({
  args: { transferId: v.string() },
  returns: v.null(),
  handler: async (ctx, { transferId }) => {
    const { transfer } = await offerFor(ctx, transferId);
    await ctx.db.patch(transfer._id, { state: "declined" });
    await endOfferNotice(ctx, transfer);
    await notifyOfTransfer(ctx, transfer.fromId, "transferDeclined", { projectId: transfer.projectId, actorId: ctx.user.id });
    await recordTransfer(ctx, "transfer.declined", transfer);
    return null;
  },
});

async function recordTransfer(
  ctx: UserMutationCtx,
  action: "transfer.accepted" | "transfer.declined" | "transfer.cancelled",
  { projectId, fromId, toId }: Doc<"transfers">,
): Promise<void> {
  const otherUserId = fromId === ctx.user.id ? toId : fromId;
  await recordAuditEvent(ctx, { action, target: { kind: "project", id: projectId } }, { otherUserId });
}

/** Throws "not_found" also for an offer that was withdrawn, has expired, or is addressed to a former member. */
async function offerFor(ctx: UserMutationCtx, transferId: string): Promise<{ transfer: Doc<"transfers">; project: Doc<"projects"> }> {
  const id = ctx.db.normalizeId("transfers", transferId);
  const transfer = id && (await ctx.db.get(id));
  if (transfer?.toId !== ctx.user.id || !isOpen(transfer)) throw notFound();
  const project = await projectFor(ctx, transfer.projectId, "view");
  if (project.ownerId !== transfer.fromId) throw notFound();
  return { transfer, project };
}

const shownTransfer = v.object({
  _id: v.id("transfers"),
  state: transferState,
  expiresAt: v.number(),
  owner: v.string(),
  recipient: v.string(),
  isForMe: v.boolean(),
});

export const get = userQuery({
  args: { projectId: v.string() },
  returns: v.object({ isOwner: v.boolean(), transfer: v.union(shownTransfer, v.null()) }),
  handler: async (ctx, { projectId }) => {
    const project = await projectFor(ctx, projectId, "view");
    const isOwner = await hasRight(ctx, project, "transfer");
    const transfer = await transferOf(ctx, project._id);
    return { isOwner, transfer: transfer && isShown(ctx, transfer) ? await toTransfer(ctx, transfer) : null };
  },
});

function isShown({ user }: CallerCtx, transfer: Doc<"transfers">): boolean {
  const isRunning = transfer.state === "measuring" || transfer.state === "moving";
  if (transfer.toId === user.id) return isRunning || isOpen(transfer);
  return transfer.fromId === user.id && (isRunning || transfer.expiresAt > Date.now());
}

async function toTransfer(ctx: CallerCtx, { _id, state, expiresAt, fromId, toId }: Doc<"transfers">): Promise<Infer<typeof shownTransfer>> {
  const [owner, recipient] = await Promise.all([userOf(ctx, fromId), userOf(ctx, toId)]);
  return { _id, state, expiresAt, owner: nameOf(owner), recipient: nameOf(recipient), isForMe: toId === ctx.user.id };
}

export const listOffered = userQuery({
  args: {},
  returns: v.array(
    v.object({ _id: v.id("transfers"), projectId: v.id("projects"), project: v.string(), owner: v.string(), expiresAt: v.number() }),
  ),
  handler: async (ctx) => {
    const shown = (await openOffers(ctx)).map(async ({ transfer: { _id, projectId, fromId, expiresAt }, project }) => {
      const owner = nameOf(await userOf(ctx, fromId));
      return { _id, projectId, project: project.name, owner, expiresAt };
    });
    return Promise.all(shown);
  },
});
