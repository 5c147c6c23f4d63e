import { copyDesigns, copyImages } from "../../jobs/copies";
import { designFor, designsFor, imagesFor, projectFor, type UserMutationCtx } from "../access";
import { check } from "../check";
import { favouriteDesigns } from "../items/favourites";
import { moveDesigns, moveImages } from "../items/moves";
import type { Right } from "../rights";
import { setStatus } from "../review/setReviews";
import { rightToSet } from "../review/statuses";
import { addTag } from "../rules";
import { addTagsToAll, type TaggedPath, removeTagsFromAll } from "../tags/tagging";
import { trashDesigns, trashImages } from "../items/trashing";
import type { BulkAction, BulkKind } from "./bulkTables";

/** Throws "not_found" if an item is missing, or the user lacks the right that the action needs in its project. */
export async function applyAction(ctx: UserMutationCtx, kind: BulkKind, action: BulkAction, ids: string[]): Promise<void> {
  if (kind === "image") await applyToImages(ctx, action, ids);
  else await applyToDesigns(ctx, action, ids);
}

async function applyToImages(ctx: UserMutationCtx, action: BulkAction, ids: string[]): Promise<void> {
  switch (action.type) {
    case "trash":
      await trashImages(ctx, await imagesFor(ctx, ids, "delete"));
      return;
    case "move":
      return moveImages(ctx, ids, action.to);
    case "copy": {
      const target = await designFor(ctx, action.to, "edit");
      return copyImages(ctx, ids, await imagesFor(ctx, ids, "download"), target);
    }
    case "tag":
    case "untag": {
      const paths = await imagePaths(ctx, ids);
      return (action.type === "tag" ? addTagsToAll : removeTagsFromAll)(ctx, paths, check(addTag, action).tag);
    }
    case "review":
      return setStatus(ctx, await imagePaths(ctx, ids, rightToSet(action.status)), action.status, action.note);
    case "favourite":
  }
}

async function applyToDesigns(ctx: UserMutationCtx, action: BulkAction, ids: string[]): Promise<void> {
  switch (action.type) {
    case "trash":
      await trashDesigns(ctx, await designsFor(ctx, ids, "delete"));
      return;
    case "move":
    case "copy": {
      const target = await projectFor(ctx, action.to, "edit");
      return action.type === "move"
        ? moveDesigns(ctx, await designsFor(ctx, ids, "edit"), target)
        : copyDesigns(ctx, await designsFor(ctx, ids, "download"), target);
    }
    case "tag":
    case "untag": {
      const paths = await designPaths(ctx, ids);
      return (action.type === "tag" ? addTagsToAll : removeTagsFromAll)(ctx, paths, check(addTag, action).tag);
    }
    case "review":
      return setStatus(ctx, await designPaths(ctx, ids, rightToSet(action.status)), action.status, action.note);
    case "favourite":
      return favouriteDesigns(ctx, await designsFor(ctx, ids, "view"), action.favourite);
  }
}

export async function imagePaths(ctx: UserMutationCtx, ids: string[], right: Right = "edit"): Promise<TaggedPath[]> {
  const groups = await imagesFor(ctx, ids, right);
  return groups.flatMap(({ images, ...path }) => images.map((image) => ({ ...path, image })));
}

export async function designPaths(ctx: UserMutationCtx, ids: string[], right: Right = "edit"): Promise<TaggedPath[]> {
  const groups = await designsFor(ctx, ids, right);
  return groups.flatMap(({ designs, project }) => designs.map((design) => ({ design, project })));
}
