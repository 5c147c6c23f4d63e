import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import type { Id } from "./_generated/dataModel";
import type { QueryCtx } from "./_generated/server";
import { recordActivity } from "./activity";
import { designFor, imageFor, userMutation, userQuery } from "./access";
import { check } from "./check";
import { copyImage } from "./copies";
import { notFound } from "./errors";
import { moveImages } from "./moves";
import { imagesOf, neighbour, place, sortNameOf } from "./order";
import { LIST_LIMIT, pageOf } from "./paging";
import { captionImage, many, renameDesignImage } from "./rules";
import { designImageShape, toDesignImage } from "./shapes";
import { type ImageSort, imageSortArg } from "./sorting";
import { touch } from "./summaries";
import { placeArgs, targetOf } from "./targets";
import { trashImage } from "./trashing";
import { pictureDetails } from "./versionTables";
import { searchWords } from "./words";

/**
 * A design's images in the order made by hand, which begins as that in which they were added, or in another; at most the first `LIST_LIMIT`.
 * Throws "not_found".
 */
export const getDesignImagesByDesignId = userQuery({
  args: { designId: v.string(), sort: imageSortArg },
  returns: v.array(designImageShape),
  handler: async (ctx, { designId, sort = "manual" }) => {
    const { design } = await designFor(ctx, designId, "view");
    return (await imagesIn(ctx, design._id, sort).take(LIST_LIMIT)).map(toDesignImage);
  },
});

/** A design's images in the same order, page by page. Throws "not_found". */
export const listDesignImages = userQuery({
  args: { designId: v.string(), sort: imageSortArg, paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(designImageShape),
  handler: async (ctx, { designId, sort = "manual", paginationOpts }) => {
    const { design } = await designFor(ctx, designId, "view");
    const result = await imagesIn(ctx, design._id, sort).paginate(pageOf(paginationOpts));
    return { ...result, page: result.page.map(toDesignImage) };
  },
});

/** One image, with the ids of those before and after it in its design. Throws "not_found". */
export const getDesignImageInPlace = userQuery({
  args: { id: v.string() },
  returns: v.object({
    image: designImageShape,
    previous: v.union(v.id("designImages"), v.null()),
    next: v.union(v.id("designImages"), v.null()),
    details: v.optional(pictureDetails),
  }),
  handler: async (ctx, { id }) => {
    const { image, design } = await imageFor(ctx, id, "view");
    const images = imagesOf(ctx, design._id);
    const [previous, next] = await Promise.all([neighbour(images, image, "before"), neighbour(images, image, "after")]);
    return { image: toDesignImage(image), previous: idOf(previous), next: idOf(next), ...(image.details && { details: image.details }) };
  },
});

/** Throws "not_found", or "invalid" for the name. */
export const rename = userMutation({
  args: { id: v.string(), name: v.string() },
  returns: v.null(),
  handler: async (ctx, args) => {
    const { image, ...found } = await imageFor(ctx, args.id, "edit");
    const { name } = check(renameDesignImage, args);
    await ctx.db.patch(image._id, { name, sortName: sortNameOf(name), words: searchWords({ ...image, name }) });
    await touch(ctx, found);
    await recordActivity(ctx, { kind: "renamed", ...found, image, from: image.name, to: name });
    return null;
  },
});

/** Sets what is told about an image; "" for nothing. Throws "not_found", or "invalid" for the text. */
export const setCaption = userMutation({
  args: { id: v.string(), caption: v.string() },
  returns: v.null(),
  handler: async (ctx, args) => {
    const { image, ...found } = await imageFor(ctx, args.id, "edit");
    const { caption } = check(captionImage, args);
    await ctx.db.patch(image._id, { caption: caption || undefined, words: searchWords({ ...image, caption }) });
    await touch(ctx, found);
    await recordActivity(ctx, { kind: "captioned", ...found, image });
    return null;
  },
});

/** Puts an image elsewhere in its design's order made by hand. Throws "not_found", also for another design's image as the neighbour. */
export const reorder = userMutation({
  args: placeArgs,
  returns: v.null(),
  handler: async (ctx, args) => {
    const { image, design, project } = await imageFor(ctx, args.id, "edit");
    const target = await targetOf(args, async (beside) => {
      const other = await imageFor(ctx, beside, "view");
      if (other.design._id !== design._id) throw notFound();
      return other.image;
    });
    if (await place(ctx, imagesOf(ctx, design._id), image, target)) {
      await recordActivity(ctx, { kind: "reordered", project, design, image });
    }
    return null;
  },
});

/** Puts images, at most `MANY_MAX`, into another design, at its end and in this order. Throws "not_found" for any of them, "invalid" for too many. */
export const move = userMutation({
  args: { ids: v.array(v.string()), designId: v.string() },
  returns: v.null(),
  handler: async (ctx, { ids, designId }) => {
    await moveImages(ctx, check(many, { ids }).ids, designId);
    return null;
  },
});

/** Makes a copy of an image right after it and answers its id; both show the same file. Throws "not_found". */
export const duplicate = userMutation({
  args: { id: v.string() },
  returns: v.id("designImages"),
  handler: async (ctx, { id }) => copyImage(ctx, await imageFor(ctx, id, "edit")),
});

/** Puts an image in the trash. Throws "not_found". */
export const moveToTrash = userMutation({
  args: { id: v.string() },
  returns: v.null(),
  handler: async (ctx, { id }) => trashImage(ctx, await imageFor(ctx, id, "edit")),
});

/** `moveToTrash` by the name under which open pages of an earlier build know it. */
export const remove = userMutation({
  args: { id: v.string() },
  returns: v.null(),
  handler: async (ctx, { id }) => trashImage(ctx, await imageFor(ctx, id, "edit")),
});

function imagesIn(ctx: QueryCtx, designId: Id<"designs">, sort: ImageSort) {
  const images = ctx.db.query("designImages");
  switch (sort) {
    case "manual":
      return images.withIndex("by_order", (q) => q.eq("designId", designId).eq("removedAt", undefined));
    case "name":
      return images.withIndex("by_sort_name", (q) => q.eq("designId", designId).eq("removedAt", undefined));
    case "created":
      return images.withIndex("by_design", (q) => q.eq("designId", designId).eq("removedAt", undefined)).order("desc");
  }
}

const idOf = (image: { _id: Id<"designImages"> } | null) => image && image._id;
