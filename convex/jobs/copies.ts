import { type ObjectType, v } from "convex/values";
import { internal } from "../_generated/api";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { internalMutation } from "../model/functions";
import { recordActivity } from "../model/activities/recordActivity";
import { type DesignGroup, type DesignPath, hasRight, type ImageGroup, type ImagePath, type UserMutationCtx } from "../model/access";
import { reportStoppedCopy } from "../model/bulk/reportStoppedCopy";
import { limit } from "../model/errors";
import { bytesOfFile } from "../model/images/imageBytes";
import { addEarlierFavourites, copyFavourite, favouritesIn } from "../model/items/favourites";
import { limitsOf, tokenLimits, withLimits } from "../model/limits/limits";
import { designsOf, imagesOf, lastKey, lastKeys, reorderRow, projectsOf, sortNameOf } from "../model/lists/order";
import { nameOfCopy } from "../model/rules";
import { designsChanged, imagesChanged } from "../model/items/summaries";
import { addTagUses } from "../model/tags/tagging";
import { trashDesigns } from "../model/items/trashing";
import { addToStep, recordChanges } from "../model/undo/recordChanges";
import { type UndoStep, undoStep } from "../model/undo/undoTables";
import { bytesOfCopies, changeUsage, expectRoomFor, expectRoomForCopies, expectRoomForFiles, isWithinLimit } from "../model/limits/usage";
import { searchWords } from "../model/search/words";

/** Each batch schedules the next in its own transaction, so a restart repeats nothing. Copied images share the file (`files.ts`). */

type Ctx = UserMutationCtx;

const IMAGES = 100;
const DESIGNS = 20;

export async function copyProject(ctx: Ctx, project: Doc<"projects">): Promise<Id<"projects">> {
  const { description, designCount, imageCount } = project;
  const ownerId = ctx.user.id;
  const foreign = project.ownerId === ownerId ? [] : await imagesOfDesigns(ctx, designsIn(ctx, project._id));
  await expectRoomForCopies(ctx, ownerId, { projects: 1, designs: designCount, images: imageCount }, foreign);
  const list = projectsOf(ctx, ownerId);
  const name = nameOfCopy(project.name);
  const id = await ctx.db.insert("projects", {
    ownerId,
    name,
    ...(description !== undefined && { description }),
    sortName: sortNameOf(name),
    words: searchWords({ name, description }),
    orderKey: await lastKey(list),
    updatedAt: Date.now(),
    designCount: 0,
    imageCount: 0,
    cover: [],
  });
  const copy = await ctx.db.get(id);
  if (copy && project.ownerId === ownerId) await reorderRow(ctx, list, copy, { after: project });
  await changeUsage(ctx, ownerId, { projects: 1 });
  await recordActivity(ctx, { kind: "duplicated", project: { _id: id, ownerId, name }, from: project.name, fromId: project._id });
  await ctx.scheduler.runAfter(0, internal.jobs.copies.project, { from: project._id, to: id, cursor: null, ...(await starter(ctx)) });
  return id;
}

export async function copyDesign(ctx: Ctx, { design, project }: DesignPath): Promise<Id<"designs">> {
  await expectRoomFor(ctx, project.ownerId, { designs: 1, images: design.imageCount });
  const list = designsOf(ctx, project._id);
  const name = nameOfCopy(design.name);
  const id = await ctx.db.insert("designs", {
    ...emptied(design, project),
    name,
    sortName: sortNameOf(name),
    words: searchWords({ ...design, name }),
    orderKey: await lastKey(list),
  });
  const copy = await ctx.db.get(id);
  await addTagUses(ctx, project.ownerId, [{ kind: "design", thing: id, tags: design.tags }]);
  if (copy) await reorderRow(ctx, list, copy, { after: design });
  await designsChanged(ctx, project, { designs: 1 });
  await recordActivity(ctx, { kind: "duplicated", project, design: { _id: id, name }, from: design.name, fromId: design._id });
  await ctx.scheduler.runAfter(0, internal.jobs.copies.design, { from: design._id, to: id, cursor: null, ...(await starter(ctx)) });
  return id;
}

export async function copyImage(ctx: Ctx, { image, design, project }: ImagePath): Promise<Id<"designImages">> {
  const list = imagesOf(ctx, design._id);
  const name = nameOfCopy(image.name);
  const bytes = await bytesOfCopies(ctx, project.ownerId, [image]);
  const id = await ctx.db.insert("designImages", {
    ...copied(image, design, project),
    name,
    sortName: sortNameOf(name),
    words: searchWords({ ...image, name }),
    orderKey: await lastKey(list),
    // Random, so that repeated copies of one image are not deduplicated.
    uploadId: `copy of ${image._id} ${Math.random().toString(36).slice(2)}`,
  });
  const copy = await ctx.db.get(id);
  await addTagUses(ctx, project.ownerId, [{ kind: "image", thing: id, tags: image.tags }]);
  if (copy) await reorderRow(ctx, list, copy, { after: image });
  await imagesChanged(ctx, { design, project }, addedBy([image]));
  if (bytes > 0) await changeUsage(ctx, project.ownerId, { bytes });
  await recordActivity(ctx, { kind: "duplicated", project, design, image: { _id: id, name } });
  return id;
}

export async function copyImages(ctx: Ctx, ids: string[], groups: ImageGroup[], { design, project }: DesignPath): Promise<void> {
  const order = new Map(ids.map((id, index) => [id, index]));
  const images = groups.flatMap((group) => group.images).toSorted((a, b) => (order.get(a._id) ?? 0) - (order.get(b._id) ?? 0));
  const keys = await lastKeys(imagesOf(ctx, design._id), images.length);
  const bytes = await bytesOfCopies(ctx, project.ownerId, images);
  if (bytes > 0) await expectRoomForFiles(ctx, project.ownerId, { images: images.length, bytes });
  const copies = [];
  for (const [index, image] of images.entries()) {
    const uploadId = `copy of ${image._id} ${Math.random().toString(36).slice(2)}`;
    const id = await ctx.db.insert("designImages", { ...copied(image, design, project), orderKey: keys[index], uploadId });
    copies.push({ kind: "image" as const, thing: id, tags: image.tags });
  }
  await addTagUses(ctx, project.ownerId, copies);
  await imagesChanged(ctx, { design, project }, addedBy(images));
  if (bytes > 0) await changeUsage(ctx, project.ownerId, { bytes });
  const [last] = images.slice(-1);
  if (last) await recordActivity(ctx, { kind: "duplicated", project, design, image: last, count: images.length });
}

export async function copyDesigns(ctx: Ctx, groups: DesignGroup[], project: Doc<"projects">, { isMove = false } = {}): Promise<void> {
  const designs = groups.flatMap((group) => group.designs);
  const images = designs.reduce((sum, { imageCount }) => sum + imageCount, 0);
  const foreign = groups.filter((group) => group.project.ownerId !== project.ownerId).flatMap((group) => group.designs);
  await expectRoomForCopies(ctx, project.ownerId, { designs: designs.length, images }, await imagesOfDesigns(ctx, foreign));
  const keys = await lastKeys(designsOf(ctx, project._id), designs.length);
  const copies = [];
  const pairs: Pair[] = [];
  const actor = { ...(await starter(ctx)), ...(isMove && { isMove, ...(ctx.step && { step: ctx.step }) }) };
  for (const [index, design] of designs.entries()) {
    const id = await ctx.db.insert("designs", { ...emptied(design, project), orderKey: keys[index] });
    copies.push({ kind: "design" as const, thing: id, tags: design.tags });
    pairs.push({ from: design._id, to: id });
  }
  await copyInTurn(ctx, pairs, actor);
  await addTagUses(ctx, project.ownerId, copies);
  await designsChanged(ctx, project, { designs: designs.length });
  const [last] = designs.slice(-1);
  if (last)
    await recordActivity(ctx, { kind: "duplicated", project, design: last, from: last.name, fromId: last._id, count: designs.length });
}

/** Maximum images of another owner that one action copies. Checking each can need three of the 4,096 index ranges of a transaction. */
export const FOREIGN_IMAGES_MAX = 1200;

async function imagesOfDesigns(
  ctx: MutationCtx,
  designs: Iterable<Doc<"designs">> | AsyncIterable<Doc<"designs">>,
): Promise<Doc<"designImages">[]> {
  const images: Doc<"designImages">[] = [];
  for await (const { _id, imageCount } of designs) {
    if (imageCount === 0) continue;
    const rows = await ctx.db
      .query("designImages")
      .withIndex("by_design", (q) => q.eq("designId", _id).eq("removedAt", undefined))
      .take(FOREIGN_IMAGES_MAX + 1 - images.length);
    images.push(...rows);
    if (images.length > FOREIGN_IMAGES_MAX)
      throw limit(`At most ${FOREIGN_IMAGES_MAX} images of another owner can be copied at once. Copy fewer designs.`);
  }
  return images;
}

const designsIn = (ctx: MutationCtx, projectId: Id<"projects">): AsyncIterable<Doc<"designs">> =>
  ctx.db.query("designs").withIndex("by_age", (q) => q.eq("projectId", projectId).eq("removedAt", undefined));

const actorFields = { userId: v.optional(v.string()), limits: v.optional(v.object(tokenLimits)) };
type Actor = ObjectType<typeof actorFields>;

const starter = async (ctx: Ctx): Promise<Actor> => ({ userId: ctx.user.id, limits: await limitsOf(ctx) });

/** Returns null if the user who started the copy may no longer see the source or change the target. */
async function actingFor(
  ctx: MutationCtx,
  { userId, limits }: Actor,
  from: Doc<"projects">,
  into: Doc<"projects">,
): Promise<(MutationCtx & { user?: Doc<"users"> }) | null> {
  if (userId === undefined) return ctx;
  const limited = limits ? withLimits(ctx, userId, limits) : ctx;
  if (userId === from.ownerId && userId === into.ownerId) return limited;
  const user = await ctx.db
    .query("users")
    .withIndex("id", (q) => q.eq("id", userId))
    .unique();
  if (!user) return null;
  const acting = { ...limited, user };
  return (await hasRight(acting, from, "download")) && (await hasRight(acting, into, "edit")) ? acting : null;
}

const cursor = v.union(v.string(), v.null());

export const project = internalMutation({
  args: { from: v.id("projects"), to: v.id("projects"), cursor, ...actorFields },
  returns: v.null(),
  handler: async (ctx, { from, to, cursor: after, ...actor }) => {
    const [source, target] = [await ctx.db.get(from), await ctx.db.get(to)];
    if (!source || !target || isBeingPurged(source) || isBeingPurged(target)) return null;
    const acting = await actingFor(ctx, actor, source, target);
    if (!acting) return null;
    const { page, isDone, continueCursor } = await ctx.db
      .query("designs")
      .withIndex("by_age", (q) => q.eq("projectId", from).eq("removedAt", undefined))
      .paginate({ cursor: after, numItems: DESIGNS });
    if (!(await isWithinLimit(expectRoomFor(acting, target.ownerId, { designs: page.length })))) {
      const stopped = { userId: actor.userId, into: target, isMove: false, copied: 0 };
      for (const each of page) await reportStoppedCopy(ctx, { ...stopped, design: each, total: each.imageCount });
      return null;
    }
    const favourites = await favouritesIn({ ...ctx, user: { id: target.ownerId } }, from);
    await addEarlierFavourites({ ...ctx, user: { id: target.ownerId } }, favourites, source.ownerId, page);
    const copies = [];
    const pairs: Pair[] = [];
    for (const design of page) {
      const favouriteAt = favourites.get(design._id);
      const id = await ctx.db.insert("designs", { ...emptied(design, target), favouriteAt });
      const copy = favouriteAt === undefined ? null : await ctx.db.get(id);
      if (copy && favouriteAt !== undefined) await copyFavourite(ctx, target.ownerId, copy, favouriteAt);
      copies.push({ kind: "design" as const, thing: id, tags: design.tags });
      pairs.push({ from: design._id, to: id });
    }
    await copyInTurn(ctx, pairs, actor);
    await addTagUses(ctx, target.ownerId, copies);
    await designsChanged(ctx, target, { designs: page.length });
    if (!isDone) await ctx.scheduler.runAfter(0, internal.jobs.copies.project, { from, to, cursor: continueCursor, ...actor });
    return null;
  },
});

const pairFields = { from: v.id("designs"), to: v.id("designs") };
type Pair = ObjectType<typeof pairFields>;

const designActorFields = { ...actorFields, isMove: v.optional(v.literal(true)), step: v.optional(undoStep) };
type DesignActor = ObjectType<typeof designActorFields>;

export const design = internalMutation({
  args: { ...pairFields, cursor, ...designActorFields, next: v.optional(v.array(v.object(pairFields))) },
  returns: v.null(),
  handler: async (ctx, { from, to, cursor: after, next = [], ...actor }) => {
    const remaining = await copyBatch(ctx, { from, to }, after, actor);
    if (remaining === null) await copyInTurn(ctx, next, actor);
    else await ctx.scheduler.runAfter(0, internal.jobs.copies.design, { from, to, cursor: remaining, next, ...actor });
    return null;
  },
});

/** Copies one design after the other, because copies of several change the same project and usage rows. */
async function copyInTurn(ctx: MutationCtx, [first, ...next]: Pair[], actor: DesignActor): Promise<void> {
  if (first) await ctx.scheduler.runAfter(0, internal.jobs.copies.design, { ...first, cursor: null, next, ...actor });
}

/** Returns the cursor of the next batch, or null at the end. */
async function copyBatch(ctx: MutationCtx, { from, to }: Pair, after: string | null, actor: DesignActor): Promise<string | null> {
  const [source, target] = [await ctx.db.get(from), await ctx.db.get(to)];
  if (!source || !target || isBeingPurged(source) || isBeingPurged(target)) return null;
  const [of, into] = [await ctx.db.get(source.projectId), await ctx.db.get(target.projectId)];
  const acting = of && into && !isBeingPurged(into) ? await actingFor(ctx, actor, of, into) : null;
  if (!of || !into || !acting) return null;
  const { page, isDone, continueCursor } = await ctx.db
    .query("designImages")
    .withIndex("by_design", (q) => q.eq("designId", from).eq("removedAt", undefined))
    .paginate({ cursor: after, numItems: IMAGES });
  const bytes = await bytesOfCopies(ctx, into.ownerId, page);
  if (!(await isWithinLimit(expectRoomForFiles(acting, into.ownerId, { images: page.length, bytes })))) {
    const counts = { copied: target.imageCount, total: source.imageCount };
    await reportStoppedCopy(ctx, { userId: actor.userId, into, design: source, isMove: actor.isMove === true, ...counts });
    return null;
  }
  const copies = [];
  for (const image of page) {
    const id = await ctx.db.insert("designImages", { ...copied(image, target, into), uploadId: `copy of ${image._id} in ${to}` });
    copies.push({ kind: "image" as const, thing: id, tags: image.tags });
    if (image._id === source.coverImageId) await ctx.db.patch(to, { coverImageId: id });
    if (image._id === of.coverImageId && into._id !== of._id) await ctx.db.patch(into._id, { coverImageId: id });
  }
  await addTagUses(ctx, into.ownerId, copies);
  const [design, project] = [await ctx.db.get(to), await ctx.db.get(into._id)];
  if (design && project && page.length > 0) await imagesChanged(ctx, { design, project }, addedBy(page));
  if (bytes > 0) await changeUsage(ctx, into.ownerId, { bytes });
  if (!isDone) return continueCursor;
  if (actor.isMove && acting.user && into.removedAt === undefined)
    await trashOriginal({ ...acting, user: acting.user }, { design: source, project: of }, target, actor.step);
  return null;
}

/** Ends a move to another owner. The original stays if the move was undone, or if the right to delete has ended. */
async function trashOriginal(ctx: Ctx, { design, project }: DesignPath, copy: Doc<"designs">, step: UndoStep | undefined): Promise<void> {
  if (design.removedAt !== undefined || copy.removedAt !== undefined || !(await hasRight(ctx, project, "delete"))) return;
  const recorder = recordChanges(ctx);
  await trashDesigns({ ...ctx, db: recorder.db }, [{ designs: [design], project }]);
  if (step) await addToStep(ctx, ctx.user.id, step, copy._id, recorder.changes());
}

const isBeingPurged = ({ purgingSince }: { purgingSince?: number }) => purgingSince !== undefined;

function emptied(
  { name, sortName, orderKey, description, tags }: Doc<"designs">,
  { _id: projectId, ownerId }: Doc<"projects">,
): Omit<Doc<"designs">, "_id" | "_creationTime"> {
  return {
    ownerId,
    projectId,
    name,
    ...(sortName !== undefined && { sortName }),
    ...(orderKey !== undefined && { orderKey }),
    ...(description !== undefined && { description }),
    ...(tags !== undefined && { tags }),
    words: searchWords({ name, description, tags }),
    updatedAt: Date.now(),
    imageCount: 0,
    cover: [],
    latestImageAt: 0,
  };
}

function copied(
  image: Doc<"designImages">,
  { _id: designId }: Doc<"designs">,
  { ownerId }: Doc<"projects">,
): Omit<Doc<"designImages">, "_id" | "_creationTime"> {
  const { _id: _, _creationTime: __, versionId: ___, review: ____, ...properties } = image;
  return { ...properties, designId, ownerId, bytes: bytesOfFile(image) };
}

/** A copy has the current version only. */
const addedBy = (images: Doc<"designImages">[]) => ({
  images: images.length,
  bytes: images.reduce((sum, image) => sum + bytesOfFile(image), 0),
});
