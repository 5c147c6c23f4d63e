import type { IndexRange } from "convex/server";
import { v } from "convex/values";
import { internal } from "../_generated/api";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { internalMutation } from "../model/functions";
import { redactItem, withoutName } from "../model/activities/redactItem";
import { recordActivity } from "../model/activities/recordActivity";
import { recordAuditEvent } from "../model/audit/recordAuditEvent";
import { deleteReads } from "../model/comments/unread";
import { deleteFavourites } from "../model/items/favourites";
import { releaseFile } from "../model/images/files";
import { userOf } from "../model/members";
import { deleteLink } from "../model/links/links";
import { deleteAccessNotices, notifyOfDeletedOwner } from "../model/notifications/notify";
import { deleteMutes } from "../model/notifications/settings";
import { deleteWebhook } from "../model/webhooks/webhooks";
import { clearDesign, clearImage } from "../model/presence/presence";
import { deleteRequests } from "../model/review/requests";
import { VERSIONS_MAX } from "../model/rules";
import { transferOf } from "../model/transfers/transfers";
import { deleteTagUses } from "../model/tags/tagging";
import { changeUsage, deleteUsage } from "../model/limits/usage";
import { deleteVersions } from "../versions";

/** Each batch schedules the next, and can be repeated. `purgingSince` hides items at once. Children are deleted first. */

export const TRASH_TIME = 30 * 24 * 60 * 60 * 1000;

/** Rows per transaction. Few, because a long transaction delays other writes. */
export const PURGE_BATCH = 100;
const RESUME_AFTER = 60 * 60 * 1000;

export async function purgeProject(ctx: MutationCtx, { _id, removedAt = Date.now() }: Doc<"projects">): Promise<void> {
  await ctx.db.patch(_id, { removedAt, purgingSince: Date.now() });
  await ctx.scheduler.runAfter(0, internal.jobs.purge.project, { id: _id });
}

type Actor = { user: Pick<Doc<"users">, "id"> };

export async function purgeDesign(ctx: MutationCtx & Actor, design: Doc<"designs">): Promise<Id<"projects">> {
  await ctx.db.patch(design._id, { purgingSince: Date.now() });
  const project = await ctx.db.get(design.projectId);
  if (project) await recordActivity(ctx, { kind: "purged", project, design: withoutName(design) });
  await ctx.scheduler.runAfter(0, internal.jobs.purge.design, { id: design._id });
  return design.projectId;
}

export async function purgeImage(ctx: MutationCtx & Actor, image: Doc<"designImages">): Promise<Id<"projects"> | null> {
  const design = await ctx.db.get(image.designId);
  const project = design && (await ctx.db.get(design.projectId));
  if (project) await recordActivity(ctx, { kind: "purged", project, design, image: withoutName(image) });
  await deleteOneImage(ctx, image);
  return design && design.projectId;
}

/** Removes the texts of purged items from the undo steps of the user, and of all members of their projects. */
export async function redactUndoSteps(ctx: MutationCtx, userId: string, projectIds: Iterable<Id<"projects"> | null>): Promise<void> {
  await ctx.scheduler.runAfter(0, internal.jobs.undoSteps.forget, { userId, cursor: null });
  for (const projectId of new Set(projectIds))
    if (projectId !== null) await ctx.scheduler.runAfter(0, internal.jobs.undoSteps.forgetInProject, { projectId, cursor: null });
}

export const image = internalMutation({
  args: { id: v.id("designImages") },
  returns: v.null(),
  handler: async (ctx, { id }) => {
    const row = await ctx.db.get(id);
    if (row) await deleteOneImage(ctx, row);
    return null;
  },
});

export const design = internalMutation({
  args: { id: v.id("designs") },
  returns: v.null(),
  handler: async (ctx, { id }) => {
    const deleted = await deleteDesign(ctx, id, PURGE_BATCH);
    if (deleted === PURGE_BATCH) await ctx.scheduler.runAfter(0, internal.jobs.purge.design, { id });
    return null;
  },
});

export const project = internalMutation({
  args: { id: v.id("projects") },
  returns: v.null(),
  handler: async (ctx, { id }) => {
    const history = await ctx.db
      .query("activities")
      .withIndex("by_project", (q) => q.eq("projectId", id))
      .take(PURGE_BATCH);
    for (const { _id } of history) await ctx.db.delete(_id);
    let remaining = PURGE_BATCH - history.length;
    if (remaining > 0) remaining -= await deleteMembers(ctx, id, remaining);
    if (remaining > 0) remaining -= await deleteLinks(ctx, id, remaining);
    if (remaining > 0) remaining -= await deleteWebhooks(ctx, id, remaining);
    if (remaining > 0) remaining -= await deleteInvitations(ctx, id, remaining);
    if (remaining > 0) remaining -= await deleteMutes(ctx, id, remaining);
    if (remaining > 0) remaining -= await deleteAccessNotices(ctx, id, remaining);
    if (remaining === 0) {
      await ctx.scheduler.runAfter(0, internal.jobs.purge.project, { id });
      return null;
    }
    const designs = await ctx.db
      .query("designs")
      .withIndex("by_project", (q) => q.eq("projectId", id))
      .take(PURGE_BATCH);
    for (const each of designs) {
      remaining -= await deleteDesign(ctx, each._id, remaining);
      if (remaining === 0) {
        await ctx.scheduler.runAfter(0, internal.jobs.purge.project, { id });
        return null;
      }
    }
    remaining -= await deleteFavourites(ctx, id, remaining);
    if (remaining > 0) remaining -= await deleteReads(ctx, id, remaining);
    if (remaining === 0) {
      await ctx.scheduler.runAfter(0, internal.jobs.purge.project, { id });
      return null;
    }
    const transfer = await transferOf(ctx, id);
    if (transfer) await ctx.db.delete(transfer._id);
    await redactItem(ctx, "project", id);
    if (await ctx.db.get(id)) await ctx.db.delete(id);
    return null;
  },
});

async function deleteMembers(ctx: MutationCtx, projectId: Id<"projects">, limit: number): Promise<number> {
  const members = await ctx.db
    .query("projectMembers")
    .withIndex("by_project", (q) => q.eq("projectId", projectId))
    .take(limit);
  const project = members.length > 0 ? await ctx.db.get(projectId) : null;
  const ofDeletedAccount = project !== null && (await userOf(ctx, project.ownerId)) === null;
  for (const { _id, userId } of members) {
    await ctx.db.delete(_id);
    if (ofDeletedAccount) await notifyOfDeletedOwner(ctx, project, userId);
    await ctx.scheduler.runAfter(0, internal.jobs.undoSteps.forget, { userId, cursor: null });
  }
  return members.length;
}

async function deleteLinks(ctx: MutationCtx, projectId: Id<"projects">, limit: number): Promise<number> {
  const links = await ctx.db
    .query("links")
    .withIndex("by_project", (q) => q.eq("projectId", projectId))
    .take(limit);
  for (const link of links) await deleteLink(ctx, link);
  return links.length;
}

async function deleteWebhooks(ctx: MutationCtx, projectId: Id<"projects">, limit: number): Promise<number> {
  const webhooks = await ctx.db
    .query("webhooks")
    .withIndex("by_project", (q) => q.eq("projectId", projectId))
    .take(limit);
  let deleted = 0;
  for (const webhook of webhooks) if (deleted < limit) deleted += await deleteWebhook(ctx, webhook);
  return deleted;
}

async function deleteInvitations({ db }: MutationCtx, projectId: Id<"projects">, limit: number): Promise<number> {
  const invitations = await db
    .query("invitations")
    .withIndex("by_project", (q) => q.eq("projectId", projectId))
    .take(limit);
  for (const { _id } of invitations) await db.delete(_id);
  return invitations.length;
}

export const owner = internalMutation({
  args: { ownerId: v.string() },
  returns: v.null(),
  handler: async (ctx, { ownerId }) => {
    const projects = await ctx.db
      .query("projects")
      .withIndex("by_trash", (q) => q.eq("ownerId", ownerId).eq("purgingSince", undefined))
      .take(PURGE_BATCH);
    for (const each of projects) await purgeProject(ctx, each);
    if (projects.length === PURGE_BATCH) await ctx.scheduler.runAfter(0, internal.jobs.purge.owner, { ownerId });
    else await deleteUsage(ctx, ownerId);
    return null;
  },
});

/** Purges old trash of one owner, or of all users. Without an owner, history entries have no actor. */
export const trash = internalMutation({
  args: { ownerId: v.union(v.string(), v.null()), before: v.number() },
  returns: v.null(),
  handler: async (ctx, args) => {
    await purgeBatch(ctx, args);
    return null;
  },
});

type TrashRange = {
  eq(
    field: "purgingSince",
    is: undefined,
  ): {
    gt(field: "removedAt", value: number): { lt(field: "removedAt", value: number): IndexRange };
  };
};

export async function purgeBatch(ctx: MutationCtx, { ownerId, before }: { ownerId: string | null; before: number }): Promise<number> {
  const { db } = ctx;
  const as = { ...ctx, user: { id: ownerId ?? "" } };
  const due = (range: TrashRange) => range.eq("purgingSince", undefined).gt("removedAt", 0).lt("removedAt", before);
  const [projects, designs, images] = await Promise.all([
    (ownerId === null
      ? db.query("projects").withIndex("by_removal", due)
      : db.query("projects").withIndex("by_trash", (q) => due(q.eq("ownerId", ownerId)))
    ).take(PURGE_BATCH),
    (ownerId === null
      ? db.query("designs").withIndex("by_removal", due)
      : db.query("designs").withIndex("by_trash", (q) => due(q.eq("ownerId", ownerId)))
    ).take(PURGE_BATCH),
    (ownerId === null
      ? db.query("designImages").withIndex("by_removal", due)
      : db.query("designImages").withIndex("by_trash", (q) => due(q.eq("ownerId", ownerId)))
    ).take(PURGE_BATCH),
  ]);
  for (const each of projects) await purgeProject(ctx, each);
  const changed: (Id<"projects"> | null)[] = [];
  for (const each of designs) changed.push(await purgeDesign(as, each));
  for (const each of images) changed.push(await purgeImage(as, each));
  // Expired items have no undo steps, which are kept for a day only. Trashed items are kept for 30 days.
  if (ownerId !== null) await redactUndoSteps(ctx, ownerId, changed);
  else await recordExpired(ctx, { project: projects, design: designs, image: images });
  if ([projects, designs, images].some(({ length }) => length === PURGE_BATCH)) {
    await ctx.scheduler.runAfter(0, internal.jobs.purge.trash, { ownerId, before });
  }
  return projects.length + designs.length + images.length;
}

type Expired = { project: Doc<"projects">[]; design: Doc<"designs">[]; image: Doc<"designImages">[] };

async function recordExpired(ctx: MutationCtx, { project, design, image }: Expired): Promise<void> {
  const record = (kind: keyof Expired, { _id, ownerId }: Expired[keyof Expired][number]) =>
    recordAuditEvent(ctx, { action: "item.deleted", target: { kind, id: _id } }, { userId: ownerId });
  for (const row of project) await record("project", row);
  for (const row of design) await record("design", row);
  for (const row of image) await record("image", row);
}

export const expire = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    await purgeBatch(ctx, { ownerId: null, before: Date.now() - TRASH_TIME });
    return null;
  },
});

export const resume = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const before = Date.now() - RESUME_AFTER;
    const projects = await ctx.db
      .query("projects")
      .withIndex("by_removal", (q) => q.gt("purgingSince", 0).lt("purgingSince", before))
      .take(PURGE_BATCH);
    for (const { _id } of projects) await ctx.scheduler.runAfter(0, internal.jobs.purge.project, { id: _id });
    const designs = await ctx.db
      .query("designs")
      .withIndex("by_removal", (q) => q.gt("purgingSince", 0).lt("purgingSince", before))
      .take(PURGE_BATCH);
    for (const { _id } of designs) await ctx.scheduler.runAfter(0, internal.jobs.purge.design, { id: _id });
    return null;
  },
});

async function deleteDesign(ctx: MutationCtx, id: Id<"designs">, limit: number): Promise<number> {
  const images = await ctx.db
    .query("designImages")
    .withIndex("by_design", (q) => q.eq("designId", id))
    .take(limit);
  const freed: Freed = new Map();
  let remaining = limit;
  for (const each of images) {
    if (remaining <= 0) break;
    remaining -= await deleteImage(ctx, each, freed);
  }
  await updateCounts(ctx, freed);
  if (remaining <= 0) return limit;
  const row = await ctx.db.get(id);
  if (!row) return limit - remaining;
  remaining -= await deleteFavourites(ctx, id, remaining);
  if (remaining === 0) return limit;
  await ctx.db.delete(id);
  await clearDesign(ctx, id);
  await purgeComments(ctx, row);
  await deleteRequests(ctx, row);
  await redactItem(ctx, "design", id);
  await deleteTagUses(ctx, row);
  return limit - remaining + 1;
}

async function deleteOneImage(ctx: MutationCtx, row: Doc<"designImages">): Promise<void> {
  const freed: Freed = new Map();
  await deleteImage(ctx, row, freed);
  await updateCounts(ctx, freed);
}

type Freed = Map<string | undefined, number>;

async function deleteImage(ctx: MutationCtx, row: Doc<"designImages">, freed: Freed): Promise<number> {
  await ctx.db.delete(row._id);
  await clearImage(ctx, row._id);
  await purgeComments(ctx, row);
  await deleteRequests(ctx, row);
  await redactItem(ctx, "image", row._id);
  const tags = await deleteTagUses(ctx, row);
  // `deleteVersions` releases the files of all versions, including the current one, whose fields this row copies.
  if (row.versionId !== undefined) return (await deleteVersions(ctx, row._id, VERSIONS_MAX)) + tags + 1;
  if (await releaseFile(ctx, row)) freed.set(row.ownerId, (freed.get(row.ownerId) ?? 0) + row.size);
  return tags + 1;
}

async function purgeComments(ctx: MutationCtx, { _id: itemId, lastCommentAt }: Doc<"designs"> | Doc<"designImages">): Promise<void> {
  if (lastCommentAt !== undefined) await ctx.scheduler.runAfter(0, internal.jobs.comments.purgeItem, { itemId });
}

async function updateCounts(ctx: MutationCtx, freed: Freed): Promise<void> {
  for (const [ownerId, bytes] of freed) await changeUsage(ctx, ownerId, { bytes: -bytes });
}
