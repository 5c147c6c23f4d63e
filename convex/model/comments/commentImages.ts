import type { Infer } from "convex/values";
import type { Doc, Id } from "../../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../../_generated/server";
import type { AuthorCtx, ReaderCtx } from "../access";
import { invalid, notFound } from "../errors";
import { changeUsage } from "../limits/usage";
import { COMMENT_IMAGES_MAX } from "./imagesMax";
import type { commentImageShape } from "./commentShapes";
import { type CommentedPath, commentedFor } from "./commentedItem";

type Image = Doc<"commentImages">;
type ItemId = Image["itemId"];

/** Sets the images of a comment, which its author has uploaded. Deletes earlier images that `ids` omits. Throws "invalid". */
export async function setImages(
  ctx: AuthorCtx,
  comment: Pick<Doc<"comments">, "_id" | "imageIds">,
  path: CommentedPath,
  ids: readonly string[],
): Promise<void> {
  const kept = new Set(ids);
  if (kept.size > COMMENT_IMAGES_MAX) throw invalid({ text: [`A comment can have at most ${COMMENT_IMAGES_MAX} images.`] });
  const images: Image[] = [];
  for (const each of kept) {
    const id = ctx.db.normalizeId("commentImages", each);
    const image = id && (await ctx.db.get(id));
    const isUsable = image?.authorId === ctx.author.id && image.itemId === path.item._id;
    if (!isUsable || (image.commentId ?? comment._id) !== comment._id)
      throw invalid({ text: ["An image is no longer stored. Remove it and add it again."] });
    images.push(image);
  }
  const removed = (comment.imageIds ?? []).filter((id) => !kept.has(id));
  await deleteImages(ctx, removed);
  const { ownerId } = path.project;
  for (const image of images) {
    await transferImage(ctx, image, ownerId);
    if (image.commentId === undefined) await ctx.db.patch(image._id, { commentId: comment._id });
  }
  await ctx.db.patch(comment._id, { imageIds: images.length > 0 ? images.map(({ _id }) => _id) : undefined });
}

export async function imagesOf({ db }: QueryCtx, { imageIds = [] }: Doc<"comments">): Promise<Infer<typeof commentImageShape>[]> {
  const images = await Promise.all(imageIds.map((id) => db.get(id)));
  return images.flatMap((image) => {
    if (!image) return [];
    const { _id, name, width, height, placeholder, animated } = image;
    return [{ _id, name, width, height, placeholder, animated }];
  });
}

/** Returns an image in a visible comment, or an unsent image of the reader. Throws "not_found". */
export async function commentImageFor(ctx: ReaderCtx, id: Id<"commentImages">): Promise<{ image: Image; designId: Id<"designs"> }> {
  const image = await ctx.db.get(id);
  if (!image) throw notFound();
  const { item } = await commentedFor(ctx, image.itemId, "readComments");
  if (image.commentId === undefined && image.authorId !== ctx.user?.id) throw notFound();
  return { image, designId: "designId" in item ? item.designId : item._id };
}

export async function deleteImages(ctx: MutationCtx, ids: readonly Id<"commentImages">[] = []): Promise<number> {
  const freed = new Map<string, number>();
  for (const id of ids) {
    const image = await ctx.db.get(id);
    if (!image) continue;
    const { storageId, checksum, ownerId, size } = image;
    await ctx.db.delete(id);
    if (await ctx.db.system.get(storageId)) await ctx.storage.delete(storageId);
    await ctx.db.insert("releasedFiles", { checksum });
    freed.set(ownerId, (freed.get(ownerId) ?? 0) + size);
  }
  for (const [ownerId, bytes] of freed) await changeUsage(ctx, ownerId, { bytes: -bytes });
  return ids.length;
}

export async function unsentImagesOf({ db }: QueryCtx, authorId: string, limit: number): Promise<Id<"commentImages">[]> {
  const images = await db
    .query("commentImages")
    .withIndex("by_author", (q) => q.eq("authorId", authorId).eq("commentId", undefined))
    .take(limit);
  return images.map(({ _id }) => _id);
}

export async function deleteImagesOn(ctx: MutationCtx, itemId: ItemId, limit: number): Promise<number> {
  const images = await ctx.db
    .query("commentImages")
    .withIndex("by_item", (q) => q.eq("itemId", itemId))
    .take(limit);
  return deleteImages(
    ctx,
    images.map(({ _id }) => _id),
  );
}

export async function transferImage(ctx: MutationCtx, { _id, ownerId: former, size }: Image, ownerId: string): Promise<void> {
  if (former === ownerId) return;
  await ctx.db.patch(_id, { ownerId });
  await changeUsage(ctx, former, { bytes: -size });
  await changeUsage(ctx, ownerId, { bytes: size });
}

const MEASURED_MAX = 1000;

export async function bytesInComments({ db }: QueryCtx, items: readonly (Doc<"designs"> | Doc<"designImages">)[]): Promise<number> {
  let bytes = 0;
  for (const { _id, lastCommentAt } of items) {
    if (lastCommentAt === undefined) continue;
    const images = await db
      .query("commentImages")
      .withIndex("by_item", (q) => q.eq("itemId", _id))
      .take(MEASURED_MAX);
    for (const { size } of images) bytes += size;
  }
  return bytes;
}
