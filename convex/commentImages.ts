import { v } from "convex/values";
import { type CallerCtx, serverMutationForCommenter, userMutation } from "./model/access";
import { check } from "./model/check";
import { deleteImages, unsentImagesOf } from "./model/comments/commentImages";
import { commentImageShape } from "./model/comments/commentShapes";
import { commentPicture } from "./model/comments/commentTables";
import { commentedFor } from "./model/comments/commentedItem";
import { conflict, invalid, limit, notFound } from "./model/errors";
import { discardFile, isFileInUse } from "./model/images/files";
import { changeUsage, expectWithin } from "./model/limits/usage";
import { imageProperties, nameFromFile } from "./model/rules";

/** Images for comments (docs/decisions/192-images-in-comments.md). They are uploaded before the comment is sent. */

/** Maximum unsent images of one author. Unsent images are deleted after a day. */
const UNSENT_MAX = 50;

const room = { itemId: v.string(), quota: v.optional(v.number()) };

/** Throws "limit" if the project's owner has too little storage, or the author has too many unsent images. */
export const generateUploadUrl = serverMutationForCommenter({
  args: { ...room, bytes: v.number() },
  returns: v.string(),
  handler: async (ctx, args) => {
    await expectRoom(ctx, args);
    return ctx.storage.generateUploadUrl();
  },
});

/** Adds an uploaded image. Idempotent by `uploadId`. */
export const finalize = serverMutationForCommenter({
  args: { ...room, uploadId: v.string(), storageId: v.id("_storage"), name: v.string(), ...commentPicture },
  returns: commentImageShape,
  handler: async (ctx, { storageId, quota, ...file }) => {
    const { item, project } = await expectRoom(ctx, { itemId: file.itemId, quota, bytes: 0 });
    const { contentType, size, width, height, checksum, placeholder, animated, uploadId } = check(imageProperties, file);
    const authorId = ctx.user.id;
    const earlier = await ctx.db
      .query("commentImages")
      .withIndex("by_upload", (q) => q.eq("authorId", authorId).eq("uploadId", uploadId))
      .first();
    const shown = { name: nameFromFile(file.name), width, height, placeholder, animated };
    if (earlier?.itemId === item._id) {
      if (earlier.storageId !== storageId) await discardFile(ctx, storageId);
      return { _id: earlier._id, ...shown };
    }
    const stored = await ctx.db.system.get(storageId);
    if (!stored) throw notFound();
    if (stored.size !== size) throw invalid({ size: ["The stored file has a different size."] });
    if (await isFileInUse(ctx, storageId)) throw conflict("This file belongs to another image.");
    const { ownerId } = project;
    await expectWithin(ctx, ownerId, size, quota);
    const row = { ...shown, contentType, size, checksum, uploadId, storageId, itemId: item._id, authorId, ownerId };
    const id = await ctx.db.insert("commentImages", row);
    await changeUsage(ctx, ownerId, { bytes: size });
    return { _id: id, ...shown };
  },
});

export const remove = userMutation({
  args: { imageId: v.string() },
  returns: v.null(),
  handler: async (ctx, { imageId }) => {
    const id = ctx.db.normalizeId("commentImages", imageId);
    const image = id && (await ctx.db.get(id));
    if (image?.authorId === ctx.user.id && image.commentId === undefined) await deleteImages(ctx, [image._id]);
    return null;
  },
});

async function expectRoom(ctx: CallerCtx, { itemId, bytes, quota }: { itemId: string; bytes: number; quota?: number | undefined }) {
  const path = await commentedFor(ctx, itemId, "comment");
  const unsent = await unsentImagesOf(ctx, ctx.user.id, UNSENT_MAX);
  if (unsent.length >= UNSENT_MAX) throw limit("You have too many images in unsent comments. Send or remove some of them.");
  await expectWithin(ctx, path.project.ownerId, bytes, quota);
  return path;
}
