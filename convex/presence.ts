import { v } from "convex/values";
import { internal } from "./_generated/api";
import type { Doc, Id } from "./_generated/dataModel";
import type { QueryCtx } from "./_generated/server";
import {
  designFor,
  type DesignPath,
  hasRight,
  imageFor,
  serverMutation,
  userMutation,
  type UserMutationCtx,
  userQuery,
} from "./model/access";
import { check } from "./model/check";
import { limit, notFound } from "./model/errors";
import { peopleOf } from "./model/comments/people";
import { beatOf, EXPIRES_MS, pointerOf, presenceOf, removePointer, removePresence, ROWS_MAX, sweepOf } from "./model/presence/presence";
import { part, point } from "./model/presence/presenceTables";
import { placePointer, tabKey } from "./model/rules";

/** Who has a shared design or one of its images open (docs/decisions/188-presence.md). */

const TABS_MAX = 20;

/** Renews the caller's row. Creates a missing row only with `isNew`, because calls of a closed tab can arrive late. Returns whether it exists. */
export const update = userMutation({
  args: { tab: v.string(), itemId: v.string(), isAway: v.boolean(), isWatching: v.boolean(), isNew: v.boolean() },
  returns: v.boolean(),
  handler: async (ctx, { itemId, isAway, isWatching, isNew, ...args }) => {
    const { tab } = check(tabKey, args);
    const { design, image } = await shownItemFor(ctx, itemId);
    const fields = { designId: design._id, imageId: image?._id, isAway, isWatching };
    const row = await presenceOf(ctx, tab);
    if (row ? row.userId !== ctx.user.id : !isNew) return false;
    if (row) await renew(ctx, row, fields);
    else await join(ctx, tab, fields);
    return true;
  },
});

async function shownItemFor(ctx: UserMutationCtx, itemId: string): Promise<DesignPath & { image?: Doc<"designImages"> }> {
  return ctx.db.normalizeId("designImages", itemId) ? imageFor(ctx, itemId, "view") : designFor(ctx, itemId, "view");
}

type Fields = Pick<Doc<"presence">, "designId" | "isAway" | "isWatching"> & { imageId: Id<"designImages"> | undefined };

async function renew(ctx: UserMutationCtx, row: Doc<"presence">, fields: Fields): Promise<void> {
  const { designId, imageId } = fields;
  const isMoved = row.designId !== designId || row.imageId !== imageId;
  if (isMoved) await removePointer(ctx, row._id);
  if (isMoved || row.isAway !== fields.isAway || row.isWatching !== fields.isWatching) await ctx.db.patch(row._id, fields);
  const beat = await beatOf(ctx, row._id);
  if (beat) await ctx.db.patch(beat._id, { designId, seenAt: Date.now() });
  if (row.designId !== designId) await scheduleSweep(ctx, designId);
}

async function join(ctx: UserMutationCtx, tab: string, fields: Fields): Promise<void> {
  const own = await ctx.db
    .query("presence")
    .withIndex("by_user", (q) => q.eq("userId", ctx.user.id))
    .take(TABS_MAX);
  if (own.length === TABS_MAX) throw limit(`At most ${TABS_MAX} tabs of a person are shown.`);
  const presenceId = await ctx.db.insert("presence", { userId: ctx.user.id, tab, ...fields });
  await ctx.db.insert("presenceBeats", { presenceId, designId: fields.designId, seenAt: Date.now() });
  await scheduleSweep(ctx, fields.designId);
}

async function scheduleSweep(ctx: UserMutationCtx, designId: Id<"designs">): Promise<void> {
  if (await sweepOf(ctx, designId)) return;
  await ctx.db.insert("presenceSweeps", { designId });
  await ctx.scheduler.runAfter(EXPIRES_MS, internal.jobs.presence.sweep, { designId });
}

const shownTab = v.object({
  _id: v.id("presence"),
  userId: v.string(),
  name: v.string(),
  imageId: v.optional(v.id("designImages")),
  isAway: v.boolean(),
  isWatching: v.boolean(),
  isMe: v.boolean(),
});

/** Returns the open tabs of a design and of its images. Null in a project without members, where clients do not call `update`. */
export const list = userQuery({
  args: { designId: v.string() },
  returns: v.union(v.null(), v.array(shownTab)),
  handler: async (ctx, args) => {
    const { design, project } = await designFor(ctx, args.designId, "view");
    if ((await hasRight(ctx, project, "manageMembers")) && !(await hasMembers(ctx, project._id))) return null;
    const rows = await ctx.db
      .query("presence")
      .withIndex("by_design", (q) => q.eq("designId", design._id))
      .take(ROWS_MAX);
    const names = await peopleOf(ctx)(rows.map(({ userId }) => userId));
    return rows.map(({ _id, userId, imageId, isAway, isWatching }) => {
      const name = names.get(userId) ?? "";
      return { _id, userId, name, ...(imageId && { imageId }), isAway, isWatching, isMe: userId === ctx.user.id };
    });
  },
});

async function hasMembers({ db }: Pick<QueryCtx, "db">, projectId: Id<"projects">): Promise<boolean> {
  const member = await db
    .query("projectMembers")
    .withIndex("by_project", (q) => q.eq("projectId", projectId))
    .first();
  return member !== null;
}

const shownPointer = v.object({ presenceId: v.id("presence"), pointer: v.optional(point), viewport: part });

export const listPointers = userQuery({
  args: { imageId: v.string() },
  returns: v.array(shownPointer),
  handler: async (ctx, args) => {
    const { image } = await imageFor(ctx, args.imageId, "view");
    const rows = await ctx.db
      .query("presencePointers")
      .withIndex("by_image", (q) => q.eq("imageId", image._id))
      .take(ROWS_MAX);
    return rows.map(({ presenceId, pointer, viewport }) => ({ presenceId, ...(pointer && { pointer }), viewport }));
  },
});

export const setPointer = userMutation({
  args: { tab: v.string(), imageId: v.string(), pointer: v.optional(point), viewport: part },
  returns: v.null(),
  handler: async (ctx, { tab, imageId, ...args }) => {
    const { image } = await imageFor(ctx, imageId, "view");
    const { pointer, viewport } = check(placePointer, args);
    const row = await presenceOf(ctx, tab);
    if (row?.userId !== ctx.user.id || row.imageId !== image._id) return null;
    const existing = await pointerOf(ctx, row._id);
    if (existing) await ctx.db.patch(existing._id, { pointer, viewport });
    else await ctx.db.insert("presencePointers", { presenceId: row._id, imageId: image._id, ...(pointer && { pointer }), viewport });
    return null;
  },
});

export const leave = userMutation({
  args: { tab: v.string() },
  returns: v.null(),
  handler: async (ctx, { tab }) => {
    const row = await presenceOf(ctx, tab);
    if (row && row.userId !== ctx.user.id) throw notFound();
    if (row) await removePresence(ctx, row._id);
    return null;
  },
});

/** Removes the row of a closed page, which may have signed out. Its key is the authorization. */
export const end = serverMutation({
  args: { tab: v.string() },
  returns: v.null(),
  handler: async (ctx, { tab }) => {
    const row = await presenceOf(ctx, tab);
    if (row) await removePresence(ctx, row._id);
    return null;
  },
});
