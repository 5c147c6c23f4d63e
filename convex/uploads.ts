import { v } from "convex/values";
import { recordActivity } from "./activity";
import { designFor, imageFor, serverMutation, serverMutationFor, serverQueryFor } from "./access";
import { check } from "./check";
import type { Id } from "./_generated/dataModel";
import type { QueryCtx } from "./_generated/server";
import { conflict, duplicate, invalid, notFound } from "./errors";
import { fileIsTaken, releaseFile } from "./files";
import { imagesOf, lastKey, sortNameOf } from "./order";
import { imageFacts, nameFromFile } from "./rules";
import { imagesChanged } from "./summaries";
import { changeUsage, expectRoomFor, expectWithin } from "./usage";
import { versionFor } from "./versions";
import { pictureDetails, pictureFacts } from "./versionTables";
import { searchWords } from "./words";

/**
 * Pictures on their way in and out, for the app server alone, which has looked at the bytes. A file comes first (`generateUploadUrl`), its
 * row after (`finalize`): there is never a row without bytes, and bytes that get no row are dropped by `discard` or, at the latest, the sweep.
 */

/** How much there is to be stored, and what its owner may have in all, in bytes: the app server knows both. */
const room = { bytes: v.optional(v.number()), quota: v.optional(v.number()) };

/**
 * Whether an image may be added to this design: throws "not_found", "limit" where there is no room, "conflict" where `unlessThere` is. With
 * `images`, how many there will be more, the owner's plan is asked as well, so that nobody sends what `finalize` would refuse.
 */
export const expectRoom = serverQueryFor({
  args: { designId: v.string(), ...room, images: v.optional(v.number()), unlessThere: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, { images, ...args }) => {
    const { project } = await placeFor(ctx, args);
    if (images !== undefined) await expectRoomFor(ctx, project.ownerId, { images, bytes: args.bytes ?? 0 });
    return null;
  },
});

/**
 * An address that takes the bytes of one image for this design, for an hour. Throws as `expectRoom` does; but nothing is in the way of the
 * upload `uploadId` when it has become an image already and nobody was told.
 */
export const generateUploadUrl = serverMutationFor({
  args: { designId: v.string(), ...room, unlessThere: v.optional(v.string()), uploadId: v.optional(v.string()) },
  returns: v.string(),
  handler: async (ctx, { uploadId, ...args }) => {
    if (uploadId !== undefined && (await imageOf(ctx, uploadId))) await designFor(ctx, args.designId, "edit");
    else await placeFor(ctx, args);
    return ctx.storage.generateUploadUrl();
  },
});

/**
 * Makes a stored file an image of the design and answers its id. Idempotent by `uploadId`: again, it answers the same id and drops a file
 * that was stored a second time. Throws "not_found" for the design, "invalid" for facts that break `imageFacts` or do not fit the file,
 * "conflict" when the upload or the file belongs to something else or, with `onlyNew`, the picture is in the design already; "limit" when
 * it would be more than `quota`.
 */
export const finalize = serverMutationFor({
  args: {
    designId: v.string(),
    uploadId: v.string(),
    storageId: v.id("_storage"),
    name: v.string(),
    ...pictureFacts,
    quota: v.optional(v.number()),
    onlyNew: v.optional(v.boolean()),
  },
  returns: v.id("designImages"),
  handler: async (ctx, args) => {
    const place = await designFor(ctx, args.designId, "edit");
    const facts = check(imageFacts, args);

    const earlier = await imageOf(ctx, facts.uploadId);
    if (earlier) {
      if (earlier.designId !== place.design._id) throw conflict("This upload has gone to another design.");
      if (earlier.storageId !== args.storageId) await releaseFile(ctx, args.storageId);
      return earlier._id;
    }

    const file = await ctx.db.system.get(args.storageId);
    if (!file) throw notFound();
    if (file.size !== facts.size) throw invalid({ size: ["The stored file has another size."] });
    if (await fileIsTaken(ctx, args.storageId)) throw conflict("This file belongs to another image.");
    if (args.onlyNew) await expectNew(ctx, place.design._id, facts.checksum);
    await expectWithin(ctx, place.project.ownerId, facts.size, args.quota);

    const name = nameFromFile(args.name);
    const id = await ctx.db.insert("designImages", {
      ...facts,
      ownerId: place.project.ownerId,
      designId: place.design._id,
      storageId: args.storageId,
      name,
      sortName: sortNameOf(name),
      words: searchWords({ name }),
      orderKey: await lastKey(imagesOf(ctx, place.design._id)),
    });
    await imagesChanged(ctx, place, 1);
    await changeUsage(ctx, place.project.ownerId, { bytes: facts.size });
    await recordActivity(ctx, { kind: "uploaded", ...place, image: { _id: id, name } });
    return id;
  },
});

/**
 * Notes what the file of an image tells, on rows from before that was kept: of the image itself, and of its current version. Nothing where it is
 * known, or where the image shows another file by now. Throws "not_found", "invalid".
 */
export const noteDetails = serverMutationFor({
  args: { imageId: v.string(), checksum: v.string(), details: pictureDetails },
  returns: v.null(),
  handler: async (ctx, { imageId, checksum, ...told }) => {
    const { image } = await imageFor(ctx, imageId, "view");
    const { details } = check(imageFacts.pick({ details: true }), told);
    if (image.details !== undefined || image.checksum !== checksum || !details) return null;
    await ctx.db.patch(image._id, { details });
    if (image.versionId !== undefined) await ctx.db.patch(image.versionId, { details });
    return null;
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

/** Where the app server finds the bytes of an image, or of one of its versions, if this session may see it. Throws "not_found". */
export const getFile = serverQueryFor({
  args: { imageId: v.string(), versionId: v.optional(v.string()) },
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
  handler: async (ctx, { imageId, versionId }) => {
    const { image } = await imageFor(ctx, imageId, "view");
    const shown = versionId === undefined || versionId === image.versionId ? image : await versionFor(ctx, image, versionId);
    const storageUrl = await ctx.storage.getUrl(shown.storageId);
    if (!storageUrl) throw notFound();
    const { contentType, checksum, name, size, width, height } = shown;
    const { designId } = image;
    return { storageUrl, contentType, checksum, name, size, width, height, designId };
  },
});

const imageOf = (ctx: QueryCtx, uploadId: string) =>
  ctx.db
    .query("designImages")
    .withIndex("by_upload", (q) => q.eq("uploadId", uploadId))
    .first();

/** The place for an image that has room for it, and does not have it already. */
async function placeFor(
  ctx: Parameters<typeof designFor>[0],
  {
    designId,
    bytes = 0,
    quota,
    unlessThere,
  }: { designId: string; bytes?: number | undefined; quota?: number | undefined; unlessThere?: string | undefined },
) {
  const place = await designFor(ctx, designId, "edit");
  if (unlessThere !== undefined) await expectNew(ctx, place.design._id, unlessThere);
  await expectWithin(ctx, place.project.ownerId, bytes, quota);
  return place;
}

async function expectNew(ctx: QueryCtx, designId: Id<"designs">, checksum: string): Promise<void> {
  const twin = await ctx.db
    .query("designImages")
    .withIndex("by_checksum", (q) => q.eq("designId", designId).eq("checksum", checksum).eq("removedAt", undefined))
    .first();
  if (twin) throw duplicate({ imageId: twin._id, name: twin.name });
}
