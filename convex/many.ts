import { v } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import { copyDesigns as copyAllDesigns, copyImages as copyAllImages } from "./jobs/copies";
import {
  designFor,
  designsFor,
  imagesFor,
  projectFor,
  trashedFor,
  undoableMutation,
  userMutation,
  type UserMutationCtx,
  userQuery,
} from "./model/access";
import { designPaths, imagePaths } from "./model/bulk/applyAction";
import { check } from "./model/check";
import { favouriteDesigns as setFavourites } from "./model/items/favourites";
import { moveDesigns as moveAll } from "./model/items/moves";
import { reviewFilter } from "./model/review/reviewTables";
import { setStatus } from "./model/review/setReviews";
import { rightToSet } from "./model/review/statuses";
import type { Right } from "./model/rights";
import { bulkIds, reviewItem, tagMany } from "./model/rules";
import { addTagsToAll, type TaggedPath, removeTagsFromAll } from "./model/tags/tagging";
import { restoreMany, trashDesigns as trashAllDesigns, trashImages as trashAllImages } from "./model/items/trashing";

/** Each bulk operation is one mutation, so "not_found" for one item changes nothing. Throws "invalid" above `BULK_MAX`. */

const args = { ids: v.array(v.string()) };

export const trashImages = undoableMutation({
  args,
  returns: v.null(),
  handler: async (ctx, args) => trashAllImages(ctx, await imagesFor(ctx, check(bulkIds, args).ids, "delete")),
});

export const trashDesigns = undoableMutation({
  args,
  returns: v.null(),
  handler: async (ctx, args) => trashAllDesigns(ctx, await designsFor(ctx, check(bulkIds, args).ids, "delete")),
});

export const moveDesigns = undoableMutation({
  args: { ...args, projectId: v.string() },
  returns: v.null(),
  handler: async (ctx, { projectId, ...args }) => {
    const target = await projectFor(ctx, projectId, "edit");
    await moveAll(ctx, await designsFor(ctx, check(bulkIds, args).ids, "edit"), target);
    return null;
  },
});

export const copyImages = undoableMutation({
  args: { ...args, designId: v.string() },
  returns: v.null(),
  handler: async (ctx, { designId, ...args }) => {
    const target = await designFor(ctx, designId, "edit");
    const ids = [...new Set(check(bulkIds, args).ids)];
    await copyAllImages(ctx, ids, await imagesFor(ctx, ids, "download"), target);
    return null;
  },
});

export const copyDesigns = undoableMutation({
  args: { ...args, projectId: v.string() },
  returns: v.null(),
  handler: async (ctx, { projectId, ...args }) => {
    const target = await projectFor(ctx, projectId, "edit");
    await copyAllDesigns(ctx, await designsFor(ctx, check(bulkIds, args).ids, "download"), target);
    return null;
  },
});

export const favouriteDesigns = undoableMutation({
  args: { ...args, favourite: v.boolean() },
  returns: v.null(),
  handler: async (ctx, { favourite, ...args }) => {
    await setFavourites(ctx, await designsFor(ctx, check(bulkIds, args).ids, "view"), favourite);
    return null;
  },
});

function tagging(
  pathsFor: (ctx: UserMutationCtx, ids: string[]) => Promise<TaggedPath[]>,
  change: (ctx: UserMutationCtx, paths: TaggedPath[], labels: string[]) => Promise<void>,
) {
  return undoableMutation({
    args: { ...args, tag: v.string() },
    returns: v.null(),
    handler: async (ctx, args) => {
      const { ids, tag } = check(tagMany, args);
      await change(ctx, await pathsFor(ctx, ids), tag);
      return null;
    },
  });
}

export const tagImages = tagging(imagePaths, addTagsToAll);

export const untagImages = tagging(imagePaths, removeTagsFromAll);

export const tagDesigns = tagging(designPaths, addTagsToAll);

export const untagDesigns = tagging(designPaths, removeTagsFromAll);

const reviewing = (pathsFor: (ctx: UserMutationCtx, ids: string[], right: Right) => Promise<TaggedPath[]>) =>
  undoableMutation({
    args: { ...args, status: reviewFilter, note: v.optional(v.string()) },
    returns: v.null(),
    handler: async (ctx, { status, note: typed = "", ...args }) => {
      const { note } = check(reviewItem, { note: typed });
      await setStatus(ctx, await pathsFor(ctx, check(bulkIds, args).ids, rightToSet(status)), status, note || undefined);
      return null;
    },
  });

/** Without a note, items that have the status keep their note and author. Callers without "edit" can set only a reviewer's answers. */
export const reviewImages = reviewing(imagePaths);

export const reviewDesigns = reviewing(designPaths);

/** Throws "conflict" if a parent is in the trash too. */
export const restore = userMutation({
  args,
  returns: v.null(),
  handler: async (ctx, args) =>
    restoreMany(ctx, await Promise.all([...new Set(check(bulkIds, args).ids)].map((id) => trashedFor(ctx, id)))),
});

export const getName = userQuery({
  args: { ...args, kind: v.union(v.literal("image"), v.literal("design")) },
  returns: v.string(),
  handler: async (ctx, { kind, ...args }) => {
    const { ids } = check(bulkIds, args);
    if (kind === "design") return common((await designsFor(ctx, ids, "view")).map(({ project }) => project)) ?? "Designs";
    const groups = await imagesFor(ctx, ids, "view");
    return common(groups.map(({ design }) => design)) ?? common(groups.map(({ project }) => project)) ?? "Images";
  },
});

function common(parents: (Doc<"projects"> | Doc<"designs">)[]): string | null {
  const [first] = parents;
  return first && parents.every(({ _id }) => _id === first._id) ? first.name : null;
}
