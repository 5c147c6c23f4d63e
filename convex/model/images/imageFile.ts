import { type Infer, type ObjectType, v } from "convex/values";
import type { Id } from "../../_generated/dataModel";
import { versionFor } from "../../versions";
import { type FileReaderCtx, imageFor, type ReaderCtx } from "../access";
import { commentImageFor } from "../comments/commentImages";
import { notFound } from "../errors";
import { rotation } from "./versionTables";

export const imageFileArgs = {
  imageId: v.string(),
  versionId: v.optional(v.string()),
  original: v.optional(v.boolean()),
};

export const imageFileShape = v.object({
  storageUrl: v.string(),
  contentType: v.string(),
  checksum: v.string(),
  name: v.string(),
  size: v.number(),
  width: v.number(),
  height: v.number(),
  page: v.optional(v.number()),
  rotation: v.optional(rotation),
  designId: v.id("designs"),
  /** Ids of the rows that gave access. `revocations.since` lists changes of them. */
  rows: v.array(v.string()),
  /** When the session, the token or the link expires, in ms since 1970. */
  accessEndsAt: v.optional(v.number()),
});

type ImageFile = Infer<typeof imageFileShape>;

/** Throws "not_found" also for an earlier version that the reader may not see. */
export async function imageFileFor(ctx: FileReaderCtx, args: ObjectType<typeof imageFileArgs>): Promise<ImageFile> {
  const reads = ctx.reads.fork();
  const file = await fileFor({ ...ctx, db: reads.db }, args);
  const accessEndsAt = reads.endsAt();
  return { ...file, rows: reads.rows(), ...(accessEndsAt !== undefined && { accessEndsAt }) };
}

type UngrantedFile = Omit<ImageFile, "rows" | "accessEndsAt">;

async function fileFor(ctx: ReaderCtx, { imageId, versionId, original = false }: ObjectType<typeof imageFileArgs>): Promise<UngrantedFile> {
  const commentImageId = ctx.db.normalizeId("commentImages", imageId);
  if (commentImageId) return commentImageFile(ctx, commentImageId);
  const { image } = await imageFor(ctx, imageId, original ? "download" : "view");
  const shown = versionId === undefined || versionId === image.versionId ? image : await versionFor(ctx, image, versionId);
  const storageUrl = await ctx.storage.getUrl(shown.storageId);
  if (!storageUrl) throw notFound();
  const { contentType, checksum, name, size, width, height, page } = shown;
  const { designId } = image;
  const optional = { ...(page !== undefined && { page }), ...(shown.rotation !== undefined && { rotation: shown.rotation }) };
  return { storageUrl, contentType, checksum, name, size, width, height, ...optional, designId };
}

/** Returns the file of an image in a comment. It has no metadata, so everyone who can see the image may download it. */
async function commentImageFile(ctx: ReaderCtx, id: Id<"commentImages">): Promise<UngrantedFile> {
  const { image, designId } = await commentImageFor(ctx, id);
  const storageUrl = await ctx.storage.getUrl(image.storageId);
  if (!storageUrl) throw notFound();
  const { contentType, checksum, name, size, width, height } = image;
  return { storageUrl, contentType, checksum, name, size, width, height, designId };
}
