import { deleteWebhooksOf } from "../webhooks/webhooks";
import { internal } from "../../_generated/api";
import type { Doc, Id } from "../../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../../_generated/server";
import { recordActivity } from "../activities/recordActivity";
import { conflict } from "../errors";
import { favouriteOfNewOwner } from "../items/favourites";
import { changeUsage, startUsage } from "../limits/usage";
import { lastKey, projectsOf } from "../lists/order";
import { memberOf } from "../members";
import { endOfferNotice, notifyPerson } from "../notifications/notify";

const INVITATIONS_MAX = 200;

type Db = Pick<QueryCtx, "db">;

export const transferOf = ({ db }: Db, projectId: Id<"projects">): Promise<Doc<"transfers"> | null> =>
  db
    .query("transfers")
    .withIndex("by_project", (q) => q.eq("projectId", projectId))
    .unique();

export const isOpen = ({ state, expiresAt }: Doc<"transfers">): boolean =>
  (state === "offered" || state === "refused") && expiresAt > Date.now();

/** Throws "conflict" while a job changes the project's rows, because the job would miss moved rows. */
export async function expectSettled(ctx: Db, projectId: Id<"projects">): Promise<void> {
  if ((await transferOf(ctx, projectId))?.state === "moving") throw conflict(MOVING);
}

/** Throws "conflict" while a job has not yet changed all rows in the former owner's trash. */
export async function expectNoRunningTransfer({ db }: Db, userId: string): Promise<void> {
  const moving = await db
    .query("transfers")
    .withIndex("by_sender", (q) => q.eq("fromId", userId).eq("state", "moving"))
    .first();
  if (moving) throw conflict(MOVING);
}

const MOVING = "A project is being transferred. Try again in a moment.";

export async function endTransferTo(ctx: MutationCtx, projectId: Id<"projects">, userId: string): Promise<void> {
  const transfer = await transferOf(ctx, projectId);
  if (transfer?.toId !== userId || transfer.state === "moving") return;
  await ctx.db.delete(transfer._id);
  await endOfferNotice(ctx, transfer);
}

type TransferChange = "transferOffered" | "transferAccepted" | "transferDeclined";

export const notifyOfTransfer = (
  ctx: MutationCtx,
  userId: string,
  change: TransferChange,
  { projectId, actorId }: { projectId: Id<"projects">; actorId: string },
): Promise<unknown> => notifyPerson(ctx, userId, projectId, { kind: "accessChanged", actorId, projectId, change }, { projectId });

/** Changes the project's owner, and with it the access. The job then changes the rows in it. */
export async function transferProject(ctx: MutationCtx, transfer: Doc<"transfers">, project: Doc<"projects">): Promise<void> {
  const { db, scheduler } = ctx;
  const { _id: id, fromId, toId } = transfer;
  const member = await memberOf(ctx, project._id, toId);
  if (member) await db.delete(member._id);
  const now = Date.now();
  await db.insert("projectMembers", { projectId: project._id, userId: fromId, role: "editor", addedAt: now, addedBy: toId });
  await startUsage(ctx, toId);
  const { designCount: designs, imageCount: images } = project;
  const favouriteAt = await favouriteOfNewOwner(ctx, project, fromId, toId);
  await deleteWebhooksOf(ctx, project);
  const orderKey = await lastKey(projectsOf(ctx, toId));
  await db.patch(project._id, { ownerId: toId, orderKey, favouriteAt, hasWebhooks: undefined });
  await changeUsage(ctx, fromId, { projects: -1, designs: -designs, images: -images });
  await changeUsage(ctx, toId, { projects: 1, designs, images });
  await transferInvitations(ctx, project._id, { fromId, toId }, now);
  const run = transfer.run + 1;
  await db.patch(id, { state: "moving", run, movedAt: now });
  await scheduler.runAfter(0, internal.jobs.transfers.move, { id, run });
  const given = { ...project, ownerId: toId };
  await recordActivity({ ...ctx, user: { id: toId } }, { kind: "transferred", project: given, fromId, toId });
  await endOfferNotice(ctx, transfer);
  await notifyOfTransfer(ctx, fromId, "transferAccepted", { projectId: project._id, actorId: toId });
}

async function transferInvitations(
  { db }: MutationCtx,
  projectId: Id<"projects">,
  { fromId, toId }: Pick<Doc<"transfers">, "fromId" | "toId">,
  now: number,
): Promise<void> {
  const pending = await db
    .query("invitations")
    .withIndex("by_project", (q) => q.eq("projectId", projectId).gt("expiresAt", now))
    .take(INVITATIONS_MAX);
  for (const { _id, invitedBy } of pending) if (invitedBy === fromId) await db.patch(_id, { invitedBy: toId });
}
