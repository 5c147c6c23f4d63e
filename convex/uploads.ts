import { type ObjectType, v } from "convex/values";
import { recordActivity } from "./model/activities/recordActivity";
import {
  type CallerCtx,
  designFor,
  fileQueryFor,
  imageFor,
  serverMutation,
  serverMutationFor,
  serverMutationForSender,
  serverQueryFor,
  serverQueryForSender,
  type UserMutationCtx,
} from "./model/access";
import { check } from "./model/check";
import type { Id } from "./_generated/dataModel";
import type { QueryCtx } from "./_generated/server";
import { conflict, duplicate, invalid, notFound, refusalOf } from "./model/errors";
import { discardFile, isFileInUse } from "./model/images/files";
import { imageFileArgs, imageFileFor, imageFileShape } from "./model/images/imageFile";
import { chosenKey, imagesOf, lastKey, sortNameOf } from "./model/lists/order";
import { bytesIn, bytesOfFile } from "./model/images/imageBytes";
import { imageProperties, nameFromFile, nameOfPage, PDF_PAGES_MAX } from "./model/rules";
import { imagesChanged } from "./model/items/summaries";
import { queueDeliveries } from "./model/webhooks/webhooks";
import { changeUsage, expectRoomFor, expectWithin } from "./model/limits/usage";
import { chosenAs, pictureDetails, pictureFields } from "./model/images/versionTables";
import { searchWords } from "./model/search/words";

/** The app server validates the bytes. Rows are inserted after their files; `discard` or the sweep deletes files without a row. */

/** In bytes. Only the app server has the quota. */
const room = { bytes: v.optional(v.number()), quota: v.optional(v.number()) };

/** Throws "limit" without enough storage (with `images` also in the plan), "conflict" if `unlessThere` exists. Shared files have no design yet. */
export const expectRoom = serverQueryFor({
  args: { designId: v.optional(v.string()), ...room, images: v.optional(v.number()), unlessThere: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, { images, designId, ...args }) => {
    const { bytes = 0, quota } = args;
    const ownerId = designId === undefined ? ctx.user.id : (await designWithStorage(ctx, { ...args, designId })).project.ownerId;
    if (designId === undefined) await expectWithin(ctx, ownerId, bytes, quota);
    if (images !== undefined) await expectRoomFor(ctx, ownerId, { images, bytes });
    return null;
  },
});

export const getStorageOwner = serverQueryForSender({
  args: { designId: v.string() },
  returns: v.string(),
  handler: async (ctx, { designId }) => (await designFor(ctx, designId, "edit")).project.ownerId,
});

export const expectSession = serverQueryFor({ args: {}, returns: v.null(), handler: async () => null });

/** Checks an announced upload like `expectRoom`. Returns only the current storage owner if `storageOwnerId` is outdated. */
export const admit = serverMutationFor({
  args: { designId: v.string(), storageOwnerId: v.string(), ...room, images: v.number(), unlessThere: v.optional(v.string()) },
  returns: v.object({ storageOwnerId: v.string(), uploadUrl: v.optional(v.string()) }),
  handler: async (ctx, { storageOwnerId, images, designId, ...args }) => {
    const { ownerId } = (await designFor(ctx, designId, "edit")).project;
    if (ownerId !== storageOwnerId) return { storageOwnerId: ownerId };
    await designWithStorage(ctx, { ...args, designId });
    await expectRoomFor(ctx, ownerId, { images, bytes: args.bytes ?? 0 });
    return { storageOwnerId, uploadUrl: await ctx.storage.generateUploadUrl() };
  },
});

/** Returns a URL that is valid for an hour. Throws like `expectRoom`, unless `uploadId` has already become an image. */
export const generateUploadUrl = serverMutationForSender({
  args: { designId: v.string(), ...room, unlessThere: v.optional(v.string()), uploadId: v.optional(v.string()) },
  returns: v.string(),
  handler: async (ctx, { uploadId, ...args }) => {
    if (uploadId !== undefined && (await imageOf(ctx, uploadId))) await designFor(ctx, args.designId, "edit");
    else await designWithStorage(ctx, args);
    return ctx.storage.generateUploadUrl();
  },
});

export const generateUploadUrls = serverMutationFor({
  args: {
    designId: v.string(),
    quota: v.optional(v.number()),
    reserved: v.number(),
    files: v.array(v.object({ uploadId: v.string(), bytes: v.number(), unlessThere: v.optional(v.string()) })),
  },
  returns: v.array(v.string()),
  handler: async (ctx, { files, reserved, ...args }) => {
    let bytes = reserved;
    for (const { uploadId, unlessThere, bytes: size } of files) {
      if (await imageOf(ctx, uploadId)) continue;
      bytes += size;
      await designWithStorage(ctx, { ...args, bytes, unlessThere });
    }
    await designFor(ctx, args.designId, "edit");
    return Promise.all(files.map(() => ctx.storage.generateUploadUrl()));
  },
});

const arrivedFile = {
  uploadId: v.string(),
  storageId: v.id("_storage"),
  name: v.string(),
  ...pictureFields,
  onlyNew: v.optional(v.boolean()),
  chosenAs: v.optional(chosenAs),
  /** Makes an image of each page of a PDF. The first is the image of the upload. */
  pages: v.optional(v.array(v.object({ width: v.number(), height: v.number(), placeholder: v.union(v.string(), v.null()) }))),
};

/** Adds an uploaded file, once per `uploadId`. Throws "conflict" if it belongs elsewhere or, with `onlyNew`, for a duplicate. */
export const finalize = serverMutationForSender({
  args: { designId: v.string(), quota: v.optional(v.number()), ...arrivedFile },
  returns: v.id("designImages"),
  handler: async (ctx, { designId, quota, ...file }) => {
    const [id] = await insertImages(ctx, designId, [file], quota);
    if (id === undefined) throw notFound();
    return id;
  },
});

/** Adds several files to a design. Throws like `finalize` if one of them is refused, and then adds none. */
export const finalizeMany = serverMutationFor({
  args: { designId: v.string(), quota: v.optional(v.number()), files: v.array(v.object(arrivedFile)) },
  returns: v.array(v.id("designImages")),
  handler: (ctx, { designId, quota, files }) => insertImages(ctx, designId, files, quota),
});

type ArrivedFile = Omit<ObjectType<typeof arrivedFile>, "pages">;

function imagesOfFile({ pages, ...file }: ObjectType<typeof arrivedFile>): ArrivedFile[] {
  if (!pages) return [file];
  if (pages.length === 0 || pages.length > PDF_PAGES_MAX) throw invalid({ pages: [`A PDF can have at most ${PDF_PAGES_MAX} pages.`] });
  return pages.map((page, index) => ({
    ...file,
    ...page,
    page: index + 1,
    uploadId: index === 0 ? file.uploadId : `${file.uploadId}:page ${index + 1}`,
    name: pages.length === 1 ? file.name : nameOfPage(nameFromFile(file.name), index + 1),
  }));
}

const isFirstPage = ({ page = 1 }: ArrivedFile) => page === 1;

async function insertImages(
  ctx: UserMutationCtx,
  designId: string,
  arrived: ObjectType<typeof arrivedFile>[],
  quota: number | undefined,
): Promise<Id<"designImages">[]> {
  const files = arrived.flatMap(imagesOfFile);
  const path = await designFor(ctx, designId, "edit");
  const { ownerId } = path.project;
  const imageIds = new Map<string, Id<"designImages">>();
  let bytes = 0;
  for (const file of files) {
    check(imageProperties, file);
    const earlier = await imageOf(ctx, file.uploadId);
    if (earlier && earlier.designId !== path.design._id) throw conflict("This upload belongs to another design.");
    if (earlier) imageIds.set(file.uploadId, earlier._id);
    if (earlier && earlier.storageId !== file.storageId) await discardFile(ctx, file.storageId);
    if (!earlier && isFirstPage(file)) bytes += file.size;
  }
  // Checked before the first insert, because users without a count are counted by their rows.
  if (bytes > 0) await expectWithin(ctx, ownerId, bytes, quota);

  const images = imagesOf(ctx, path.design._id);
  const ids: Id<"designImages">[] = [];
  const added: { _id: Id<"designImages">; name: string; bytes: number }[] = [];
  for (const file of files) {
    let id = imageIds.get(file.uploadId);
    if (id === undefined) {
      id = await insertImage(ctx, path, images, file);
      imageIds.set(file.uploadId, id);
      added.push({ _id: id, name: nameFromFile(file.name), bytes: bytesOfFile(file) });
    }
    if (isFirstPage(file)) ids.push(id);
  }
  const last = added.at(-1);
  if (!last) return ids;
  await imagesChanged(ctx, path, { images: added.length, bytes: bytesIn(added) });
  await changeUsage(ctx, ownerId, { bytes });
  await recordActivity(ctx, { kind: "uploaded", ...path, image: last, count: added.length });
  const items = added.map(({ _id: imageId }) => ({ designId: path.design._id, imageId }));
  await queueDeliveries(ctx, path.project, { event: "image.created", items });
  return ids;
}

async function insertImage(
  ctx: UserMutationCtx,
  { design, project }: Awaited<ReturnType<typeof designFor>>,
  images: ReturnType<typeof imagesOf>,
  file: ArrivedFile,
): Promise<Id<"designImages">> {
  const properties = check(imageProperties, file);
  const stored = await ctx.db.system.get(file.storageId);
  if (!stored) throw notFound();
  if (stored.size !== properties.size) throw invalid({ size: ["The stored file has a different size."] });
  if (isFirstPage(file) && (await isFileInUse(ctx, file.storageId))) throw conflict("This file belongs to another image.");
  if (file.onlyNew && isFirstPage(file)) await expectNoDuplicate(ctx, design._id, properties.checksum);
  const name = nameFromFile(file.name);
  return ctx.db.insert("designImages", {
    ...properties,
    ownerId: project.ownerId,
    ...(ctx.user.id !== project.ownerId && { authorId: ctx.user.id }),
    designId: design._id,
    storageId: file.storageId,
    bytes: bytesOfFile(file),
    name,
    sortName: sortNameOf(name),
    words: searchWords({ name }),
    ...(file.chosenAs && { chosenAs: file.chosenAs }),
    orderKey: await (file.chosenAs ? chosenKey(images, file.chosenAs) : lastKey(images)),
  });
}

/** Does nothing if details exist or the file has changed. */
export const noteDetails = serverMutationFor({
  args: { imageId: v.string(), checksum: v.string(), details: pictureDetails },
  returns: v.null(),
  handler: async (ctx, { imageId, checksum, ...sent }) => {
    const { image } = await imageFor(ctx, imageId, "view");
    const { details } = check(imageProperties.pick({ details: true }), sent);
    if (image.details !== undefined || image.checksum !== checksum || !details) return null;
    await ctx.db.patch(image._id, { details });
    if (image.versionId !== undefined) await ctx.db.patch(image.versionId, { details });
    return null;
  },
});

export const discard = serverMutation({
  args: { storageId: v.id("_storage") },
  returns: v.null(),
  handler: async (ctx, { storageId }) => {
    await discardFile(ctx, storageId);
    return null;
  },
});

export const getFile = fileQueryFor({
  args: imageFileArgs,
  returns: imageFileShape,
  handler: imageFileFor,
});

const FILES_MAX = 50;

/** Returns the files of images in one call, null for "not_found". `original`: for a download. Throws "invalid" above 50 images. */
export const getFiles = fileQueryFor({
  args: {
    images: v.array(v.object({ imageId: v.string(), versionId: v.optional(v.string()) })),
    original: v.optional(v.boolean()),
  },
  returns: v.array(v.union(imageFileShape, v.null())),
  handler: async (ctx, { images, original = false }) => {
    if (images.length > FILES_MAX) throw invalid({ images: [`At most ${FILES_MAX} images.`] });
    return Promise.all(
      images.map((image) =>
        imageFileFor(ctx, { ...image, original }).catch((error: unknown) => {
          if (refusalOf(error)?.code === "not_found") return null;
          throw error;
        }),
      ),
    );
  },
});

const imageOf = (ctx: QueryCtx, uploadId: string) =>
  ctx.db
    .query("designImages")
    .withIndex("by_upload", (q) => q.eq("uploadId", uploadId))
    .first();

async function designWithStorage(
  ctx: CallerCtx,
  {
    designId,
    bytes = 0,
    quota,
    unlessThere,
  }: { designId: string; bytes?: number | undefined; quota?: number | undefined; unlessThere?: string | undefined },
) {
  const path = await designFor(ctx, designId, "edit");
  if (unlessThere !== undefined) await expectNoDuplicate(ctx, path.design._id, unlessThere);
  await expectWithin(ctx, path.project.ownerId, bytes, quota);
  return path;
}

async function expectNoDuplicate(ctx: QueryCtx, designId: Id<"designs">, checksum: string): Promise<void> {
  const existing = await ctx.db
    .query("designImages")
    .withIndex("by_checksum", (q) => q.eq("designId", designId).eq("checksum", checksum).eq("removedAt", undefined))
    .first();
  if (existing) throw duplicate({ imageId: existing._id, name: existing.name });
}
