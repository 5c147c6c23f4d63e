import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import type { Id } from "./_generated/dataModel";
import type { QueryCtx } from "./_generated/server";
import { designFor, imageAloneFor, imageFor, type ReaderCtx, readerQuery, undoableMutation } from "./model/access";
import { check } from "./model/check";
import { withUnread, withUnreadMark } from "./model/comments/unread";
import { copyImage } from "./jobs/copies";
import { changeText, expectFrom, from, renameItem, reorderItem, trashItem } from "./model/items/itemMutations";
import { moveImages } from "./model/items/moves";
import { imagesOf, neighbour } from "./model/lists/order";
import { reviewFilter } from "./model/review/reviewTables";
import { type ReviewFilter, storedStatus } from "./model/review/statuses";
import { LIST_LIMIT, pageOf } from "./model/lists/paging";
import { cleanText } from "./model/names";
import { captionImage, bulkIds, renameDesignImage } from "./model/rules";
import { designImageShape, forReader, toDesignImage } from "./model/shapes";
import { type ImageSort, imageSortArg } from "./model/lists/sorting";
import { rotateImage } from "./model/images/rotation";
import { rotationAfter } from "./model/images/rotationAfter";
import { trashImage } from "./model/items/trashing";
import { pictureDetails } from "./model/images/versionTables";
import { searchWords } from "./model/search/words";

const review = v.optional(reviewFilter);

export const getDesignImagesByDesignId = readerQuery({
  args: { designId: v.string(), sort: imageSortArg, review },
  returns: v.array(designImageShape),
  handler: async (ctx, { designId, sort = "manual", review: only }) => {
    const { design } = await designFor(ctx, designId, "view");
    const images = await listOf(ctx, design._id, sort, only).take(LIST_LIMIT);
    return withUnread(
      ctx,
      images.map((row) => forReader(ctx, toDesignImage(row))),
    );
  },
});

export const listDesignImages = readerQuery({
  args: { designId: v.string(), sort: imageSortArg, review, paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(designImageShape),
  handler: async (ctx, { designId, sort = "manual", review: only, paginationOpts }) => {
    const { design } = await designFor(ctx, designId, "view");
    const result = await listOf(ctx, design._id, sort, only).paginate(pageOf(paginationOpts));
    const page = result.page.map((row) => forReader(ctx, toDesignImage(row)));
    return { ...result, page: await withUnread(ctx, page) };
  },
});

export const getDesignImageInPlace = readerQuery({
  args: { id: v.string() },
  returns: v.object({
    image: designImageShape,
    previous: v.union(v.id("designImages"), v.null()),
    next: v.union(v.id("designImages"), v.null()),
    details: v.optional(pictureDetails),
  }),
  handler: async (ctx, { id }) => {
    const image = await imageAloneFor(ctx, id, "view");
    const shown = await withUnreadMark(ctx, forReader(ctx, toDesignImage(image)));
    // A link to an image shows no neighbours. Files for visitors contain no location.
    const details = ctx.link && image.details ? { ...image.details, hasPlace: false } : image.details;
    if (ctx.link?.itemId === image._id) return { image: shown, previous: null, next: null, ...(details && { details }) };
    const images = imagesOf(ctx, image.designId);
    const [previous, next] = await Promise.all([neighbour(images, image, "before"), neighbour(images, image, "after")]);
    return { image: shown, previous: idOf(previous), next: idOf(next), ...(details && { details }) };
  },
});

export const rename = renameItem(imageFor, renameDesignImage);

export const setCaption = undoableMutation({
  args: { id: v.string(), caption: v.string(), from },
  returns: v.null(),
  handler: async (ctx, args) => {
    const path = await imageFor(ctx, args.id, "edit");
    const { caption } = check(captionImage, args);
    expectFrom(args.from, path.image.caption ?? "", caption, cleanText);
    const words = searchWords({ ...path.image, caption });
    await changeText(ctx, path, { caption: caption || undefined, words }, { kind: "captioned" });
    return null;
  },
});

export const rotate = undoableMutation({
  args: { id: v.string(), direction: v.union(v.literal("left"), v.literal("right")) },
  returns: v.null(),
  handler: async (ctx, { id, direction }) => {
    const path = await imageFor(ctx, id, "edit");
    await rotateImage(ctx, path, rotationAfter(path.image.rotation, direction));
    return null;
  },
});

export const reorder = reorderItem(imageFor);

/** Appends the images in the given order. Throws "invalid" above `BULK_MAX`. */
export const move = undoableMutation({
  args: { ids: v.array(v.string()), designId: v.string() },
  returns: v.null(),
  handler: async (ctx, { ids, designId }) => {
    await moveImages(ctx, check(bulkIds, { ids }).ids, designId);
    return null;
  },
});

/** Inserts a copy after the image. Both share one file. */
export const duplicate = undoableMutation({
  args: { id: v.string() },
  returns: v.id("designImages"),
  handler: async (ctx, { id }) => copyImage(ctx, await imageFor(ctx, id, "edit")),
});

export const moveToTrash = trashItem(imageFor, trashImage);

/** Alias of `moveToTrash` for open pages of an earlier build. */
export const remove = trashItem(imageFor, trashImage);

const listOf = (ctx: ReaderCtx, designId: Id<"designs">, sort: ImageSort, only: ReviewFilter | undefined) =>
  only === undefined || ctx.link
    ? imagesIn(ctx, designId, sort)
    : ctx.db
        .query("designImages")
        .withIndex("by_review", (q) => q.eq("designId", designId).eq("removedAt", undefined).eq("review.status", storedStatus(only)));

function imagesIn(ctx: QueryCtx, designId: Id<"designs">, sort: ImageSort) {
  const images = ctx.db.query("designImages");
  switch (sort) {
    case "manual":
      return images.withIndex("by_order", (q) => q.eq("designId", designId).eq("removedAt", undefined));
    case "name":
    case "name-desc":
      return images
        .withIndex("by_sort_name", (q) => q.eq("designId", designId).eq("removedAt", undefined))
        .order(sort === "name" ? "asc" : "desc");
    case "created":
    case "created-asc":
      return images
        .withIndex("by_design", (q) => q.eq("designId", designId).eq("removedAt", undefined))
        .order(sort === "created" ? "desc" : "asc");
    case "size":
    case "size-asc":
      return images
        .withIndex("by_size", (q) => q.eq("designId", designId).eq("removedAt", undefined))
        .order(sort === "size" ? "desc" : "asc");
    case "type":
    case "type-desc":
      return images
        .withIndex("by_content_type", (q) => q.eq("designId", designId).eq("removedAt", undefined))
        .order(sort === "type" ? "asc" : "desc");
  }
}

const idOf = (image: { _id: Id<"designImages"> } | null) => image && image._id;
