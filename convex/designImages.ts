import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import { internal } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import type { QueryCtx } from "./_generated/server";
import { recordActivity } from "./activity";
import { designFor, imageFor, userMutation, userQuery } from "./access";
import { check } from "./check";
import { imagesOf as imagesInOrder, neighbour, sortNameOf } from "./order";
import { LIST_LIMIT, pageOf } from "./paging";
import { renameDesignImage } from "./rules";
import { designImageShape, toDesignImage } from "./shapes";
import { imagesChanged, touch } from "./summaries";
import { pictureDetails } from "./versionTables";

/** A design's images in the order made by hand, which begins as that in which they were added; at most the first `LIST_LIMIT`. Throws "not_found". */
export const getDesignImagesByDesignId = userQuery({
  args: { designId: v.string() },
  returns: v.array(designImageShape),
  handler: async (ctx, { designId }) => {
    const { design } = await designFor(ctx, designId, "view");
    return (await imagesOf(ctx, design._id).take(LIST_LIMIT)).map(toDesignImage);
  },
});

/** A design's images in the same order, page by page. Throws "not_found". */
export const listDesignImages = userQuery({
  args: { designId: v.string(), paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(designImageShape),
  handler: async (ctx, { designId, paginationOpts }) => {
    const { design } = await designFor(ctx, designId, "view");
    const result = await imagesOf(ctx, design._id).paginate(pageOf(paginationOpts));
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
    const images = imagesInOrder(ctx, design._id);
    const [previous, next] = await Promise.all([neighbour(images, image, "before"), neighbour(images, image, "after")]);
    return { image: toDesignImage(image), previous: idOf(previous), next: idOf(next), ...(image.details && { details: image.details }) };
  },
});

/** Throws "not_found", or "invalid" for the name. */
export const rename = userMutation({
  args: { id: v.string(), name: v.string() },
  returns: v.null(),
  handler: async (ctx, args) => {
    const { image, ...place } = await imageFor(ctx, args.id, "edit");
    const { name } = check(renameDesignImage, args);
    await ctx.db.patch(image._id, { name, sortName: sortNameOf(name) });
    await touch(ctx, place);
    await recordActivity(ctx, { kind: "renamed", ...place, image, from: image.name, to: name });
    return null;
  },
});

/** Hides the image at once; its row and file are deleted afterwards. Throws "not_found". */
export const remove = userMutation({
  args: { id: v.string() },
  returns: v.null(),
  handler: async (ctx, { id }) => {
    const { image, ...place } = await imageFor(ctx, id, "edit");
    await ctx.db.patch(image._id, { removedAt: Date.now() });
    await imagesChanged(ctx, place, -1);
    await recordActivity(ctx, { kind: "trashed", ...place, image });
    await ctx.scheduler.runAfter(0, internal.purge.image, { id: image._id });
    return null;
  },
});

function imagesOf(ctx: QueryCtx, designId: Id<"designs">) {
  return ctx.db.query("designImages").withIndex("by_order", (q) => q.eq("designId", designId).eq("removedAt", undefined));
}

const idOf = (image: { _id: Id<"designImages"> } | null) => image && image._id;
