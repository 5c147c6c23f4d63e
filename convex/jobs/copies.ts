import { v } from "convex/values";
import { internal } from "../_generated/api";
import type { Doc, Id } from "../_generated/dataModel";
import { internalMutation, type MutationCtx } from "../_generated/server";
import { recordActivity } from "../model/activities/recordActivity";
import type { DesignGroup, DesignPath, ImageGroup, ImagePath } from "../model/access";
import { designsOf, imagesOf, lastKey, lastKeys, reorderRow, projectsOf, sortNameOf } from "../model/lists/order";
import { nameOfCopy } from "../model/rules";
import { designsChanged, imagesChanged } from "../model/summaries";
import { noteTags } from "../model/tags/tagging";
import { changeUsage, expectRoomFor } from "../model/usage";
import { searchWords } from "../model/search/words";

/** Each batch schedules the next in its own transaction, so a restart repeats nothing. Copied images share the file (`files.ts`). */

type Ctx = MutationCtx & { user: Doc<"users"> };

const IMAGES = 100;
const DESIGNS = 20;

export async function copyProject(ctx: Ctx, project: Doc<"projects">): Promise<Id<"projects">> {
  const { ownerId, description, designCount, imageCount } = project;
  await expectRoomFor(ctx, ownerId, { projects: 1, designs: designCount, images: imageCount });
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
  if (copy) await reorderRow(ctx, list, copy, { after: project });
  await changeUsage(ctx, ownerId, { projects: 1 });
  await recordActivity(ctx, { kind: "duplicated", project: { _id: id, ownerId, name }, from: project.name, fromId: project._id });
  await ctx.scheduler.runAfter(0, internal.jobs.copies.project, { from: project._id, to: id, cursor: null });
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
  await noteTags(ctx, project.ownerId, [{ kind: "design", thing: id, tags: design.tags }]);
  if (copy) await reorderRow(ctx, list, copy, { after: design });
  await designsChanged(ctx, project, { designs: 1 });
  await recordActivity(ctx, { kind: "duplicated", project, design: { _id: id, name }, from: design.name, fromId: design._id });
  await ctx.scheduler.runAfter(0, internal.jobs.copies.design, { from: design._id, to: id, cursor: null });
  return id;
}

export async function copyImage(ctx: Ctx, { image, design, project }: ImagePath): Promise<Id<"designImages">> {
  const list = imagesOf(ctx, design._id);
  const name = nameOfCopy(image.name);
  const id = await ctx.db.insert("designImages", {
    ...copied(image, design),
    name,
    sortName: sortNameOf(name),
    words: searchWords({ ...image, name }),
    orderKey: await lastKey(list),
    // Random, so that repeated copies of one image are not deduplicated.
    uploadId: `copy of ${image._id} ${Math.random().toString(36).slice(2)}`,
  });
  const copy = await ctx.db.get(id);
  await noteTags(ctx, project.ownerId, [{ kind: "image", thing: id, tags: image.tags }]);
  if (copy) await reorderRow(ctx, list, copy, { after: image });
  await imagesChanged(ctx, { design, project }, 1);
  await recordActivity(ctx, { kind: "duplicated", project, design, image: { _id: id, name } });
  return id;
}

export async function copyImages(ctx: Ctx, ids: string[], groups: ImageGroup[], { design, project }: DesignPath): Promise<void> {
  const order = new Map(ids.map((id, index) => [id, index]));
  const images = groups.flatMap((group) => group.images).toSorted((a, b) => (order.get(a._id) ?? 0) - (order.get(b._id) ?? 0));
  const keys = await lastKeys(imagesOf(ctx, design._id), images.length);
  const copies = [];
  for (const [index, image] of images.entries()) {
    const uploadId = `copy of ${image._id} ${Math.random().toString(36).slice(2)}`;
    const id = await ctx.db.insert("designImages", { ...copied(image, design), orderKey: keys[index], uploadId });
    copies.push({ kind: "image" as const, thing: id, tags: image.tags });
  }
  await noteTags(ctx, project.ownerId, copies);
  await imagesChanged(ctx, { design, project }, images.length);
  const [last] = images.slice(-1);
  if (last) await recordActivity(ctx, { kind: "duplicated", project, design, image: last, count: images.length });
}

export async function copyDesigns(ctx: Ctx, groups: DesignGroup[], project: Doc<"projects">): Promise<void> {
  const designs = groups.flatMap((group) => group.designs);
  const images = designs.reduce((sum, { imageCount }) => sum + imageCount, 0);
  await expectRoomFor(ctx, project.ownerId, { designs: designs.length, images });
  const keys = await lastKeys(designsOf(ctx, project._id), designs.length);
  const copies = [];
  for (const [index, design] of designs.entries()) {
    const id = await ctx.db.insert("designs", { ...emptied(design, project), orderKey: keys[index] });
    copies.push({ kind: "design" as const, thing: id, tags: design.tags });
    await ctx.scheduler.runAfter(0, internal.jobs.copies.design, { from: design._id, to: id, cursor: null });
  }
  await noteTags(ctx, project.ownerId, copies);
  await designsChanged(ctx, project, { designs: designs.length });
  const [last] = designs.slice(-1);
  if (last)
    await recordActivity(ctx, { kind: "duplicated", project, design: last, from: last.name, fromId: last._id, count: designs.length });
}

const cursor = v.union(v.string(), v.null());

export const project = internalMutation({
  args: { from: v.id("projects"), to: v.id("projects"), cursor },
  returns: v.null(),
  handler: async (ctx, { from, to, cursor: after }) => {
    const [source, target] = [await ctx.db.get(from), await ctx.db.get(to)];
    if (!source || !target || isBeingPurged(source) || isBeingPurged(target)) return null;
    const { page, isDone, continueCursor } = await ctx.db
      .query("designs")
      .withIndex("by_age", (q) => q.eq("projectId", from).eq("removedAt", undefined))
      .paginate({ cursor: after, numItems: DESIGNS });
    const copies = [];
    for (const design of page) {
      const id = await ctx.db.insert("designs", { ...emptied(design, target), favouriteAt: design.favouriteAt });
      copies.push({ kind: "design" as const, thing: id, tags: design.tags });
      await ctx.scheduler.runAfter(0, internal.jobs.copies.design, { from: design._id, to: id, cursor: null });
    }
    await noteTags(ctx, target.ownerId, copies);
    await designsChanged(ctx, target, { designs: page.length });
    if (!isDone) await ctx.scheduler.runAfter(0, internal.jobs.copies.project, { from, to, cursor: continueCursor });
    return null;
  },
});

/** Copies by age, so that the copies keep that order too. */
export const design = internalMutation({
  args: { from: v.id("designs"), to: v.id("designs"), cursor },
  returns: v.null(),
  handler: async (ctx, { from, to, cursor: after }) => {
    const [source, target] = [await ctx.db.get(from), await ctx.db.get(to)];
    if (!source || !target || isBeingPurged(source) || isBeingPurged(target)) return null;
    const [of, into] = [await ctx.db.get(source.projectId), await ctx.db.get(target.projectId)];
    if (!of || !into || isBeingPurged(into)) return null;
    const { page, isDone, continueCursor } = await ctx.db
      .query("designImages")
      .withIndex("by_design", (q) => q.eq("designId", from).eq("removedAt", undefined))
      .paginate({ cursor: after, numItems: IMAGES });
    const copies = [];
    for (const image of page) {
      const id = await ctx.db.insert("designImages", { ...copied(image, target), uploadId: `copy of ${image._id} in ${to}` });
      copies.push({ kind: "image" as const, thing: id, tags: image.tags });
      if (image._id === source.coverImageId) await ctx.db.patch(to, { coverImageId: id });
      if (image._id === of.coverImageId && into._id !== of._id) await ctx.db.patch(into._id, { coverImageId: id });
    }
    await noteTags(ctx, into.ownerId, copies);
    const [design, project] = [await ctx.db.get(to), await ctx.db.get(into._id)];
    if (design && project && page.length > 0) await imagesChanged(ctx, { design, project }, page.length);
    if (!isDone) await ctx.scheduler.runAfter(0, internal.jobs.copies.design, { from, to, cursor: continueCursor });
    return null;
  },
});

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
  { _id: designId, ownerId }: Doc<"designs">,
): Omit<Doc<"designImages">, "_id" | "_creationTime"> {
  const { _id: _, _creationTime: __, versionId: ___, ...properties } = image;
  return { ...properties, designId, ...(ownerId !== undefined && { ownerId }) };
}
