import { v } from "convex/values";
import { recordActivity } from "./activity";
import { designFor, imageFor, serverMutation, serverMutationFor, serverQueryFor } from "./access";
import { check } from "./check";
import { conflict, invalid, notFound } from "./errors";
import { releaseFile } from "./files";
import { imagesOf, lastKey, sortNameOf } from "./order";
import { imageFacts, nameFromFile } from "./rules";
import { imagesChanged } from "./summaries";
import { changeUsage } from "./usage";

/**
 * Pictures on their way in and out, for the app server alone, which has looked at the bytes. A file comes first (`generateUploadUrl`), its
 * row after (`finalize`): there is never a row without bytes, and bytes that get no row are dropped by `discard` or, at the latest, the sweep.
 */

/** An address that takes the bytes of one image for this design, for an hour. Throws "not_found". */
export const generateUploadUrl = serverMutationFor({
  args: { designId: v.string() },
  returns: v.string(),
  handler: async (ctx, { designId }) => {
    await designFor(ctx, designId, "edit");
    return ctx.storage.generateUploadUrl();
  },
});

/**
 * Makes a stored file an image of the design and answers its id. Idempotent by `uploadId`: again, it answers the same id and drops a file
 * that was stored a second time. Throws "not_found" for the design, "invalid" for facts that break `imageFacts` or do not fit the file,
 * "conflict" when the upload or the file belongs to something else.
 */
export const finalize = serverMutationFor({
  args: {
    designId: v.string(),
    uploadId: v.string(),
    storageId: v.id("_storage"),
    name: v.string(),
    contentType: v.string(),
    size: v.number(),
    width: v.number(),
    height: v.number(),
    checksum: v.string(),
    placeholder: v.union(v.string(), v.null()),
    animated: v.boolean(),
  },
  returns: v.id("designImages"),
  handler: async (ctx, args) => {
    const place = await designFor(ctx, args.designId, "edit");
    const facts = check(imageFacts, args);

    const earlier = await ctx.db
      .query("designImages")
      .withIndex("by_upload", (q) => q.eq("uploadId", facts.uploadId))
      .first();
    if (earlier) {
      if (earlier.designId !== place.design._id) throw conflict("This upload has gone to another design.");
      if (earlier.storageId !== args.storageId) await releaseFile(ctx, args.storageId);
      return earlier._id;
    }

    const file = await ctx.db.system.get(args.storageId);
    if (!file) throw notFound();
    if (file.size !== facts.size) throw invalid({ size: ["The stored file has another size."] });
    const taken = await ctx.db
      .query("designImages")
      .withIndex("by_storage", (q) => q.eq("storageId", args.storageId))
      .first();
    if (taken) throw conflict("This file belongs to another image.");

    const name = nameFromFile(args.name);
    const id = await ctx.db.insert("designImages", {
      ...facts,
      ownerId: place.project.ownerId,
      designId: place.design._id,
      storageId: args.storageId,
      name,
      sortName: sortNameOf(name),
      orderKey: await lastKey(imagesOf(ctx, place.design._id)),
    });
    await imagesChanged(ctx, place, 1);
    await changeUsage(ctx, place.project.ownerId, { bytes: facts.size });
    await recordActivity(ctx, { kind: "uploaded", ...place, image: { _id: id, name } });
    return id;
  },
});

/** Drops a stored file that will get no row. One that has a row stays, and a missing one is no error. */
export const discard = serverMutation({
  args: { storageId: v.id("_storage") },
  returns: v.null(),
  handler: async (ctx, { storageId }) => {
    await releaseFile(ctx, storageId);
    return null;
  },
});

/** Where the app server finds an image's bytes, if this session may see it. Throws "not_found". */
export const getFile = serverQueryFor({
  args: { imageId: v.string() },
  returns: v.object({
    storageUrl: v.string(),
    contentType: v.string(),
    checksum: v.string(),
    name: v.string(),
    size: v.number(),
    width: v.number(),
    height: v.number(),
    designId: v.id("designs"),
  }),
  handler: async (ctx, { imageId }) => {
    const { image } = await imageFor(ctx, imageId, "view");
    const storageUrl = await ctx.storage.getUrl(image.storageId);
    if (!storageUrl) throw notFound();
    const { contentType, checksum, name, size, width, height, designId } = image;
    return { storageUrl, contentType, checksum, name, size, width, height, designId };
  },
});
