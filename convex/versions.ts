import { type Infer, v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import type { MutationCtx, QueryCtx } from "./_generated/server";
import { recordActivity } from "./model/activities/recordActivity";
import {
  type CallerCtx,
  type DesignPath,
  imageAloneFor,
  imageFor,
  type ReaderCtx,
  readerQuery,
  serverMutationForSender,
  userMutation,
  type UserMutationCtx,
  userQuery,
} from "./model/access";
import { check } from "./model/check";
import { conflict, invalid, limit, notFound } from "./model/errors";
import { discardFile, isFileInUse, releaseFile } from "./model/images/files";
import { nameOf } from "./model/members";
import { bytesOfFile } from "./model/images/imageBytes";
import { imageProperties, nameFromFile, VERSIONS_MAX } from "./model/rules";
import { resetApprovals } from "./model/review/setReviews";
import { designImageShape, forReader, toDesignImage, versionShape } from "./model/shapes";
import { transferImages } from "./model/transfers/transferRows";
import { imageReplaced } from "./model/items/summaries";
import { changeUsage, expectWithin } from "./model/limits/usage";
import { pictureFields } from "./model/images/versionTables";

/** The image's row has a copy of the current version's fields; `imageVersions` stores all versions once there are two. */

export const getVersions = userQuery({
  args: { imageId: v.string() },
  returns: v.array(versionShape),
  handler: (ctx, { imageId }) => versionsIn(ctx, imageId),
});

export async function versionsIn(ctx: CallerCtx, imageId: string): Promise<Infer<typeof versionShape>[]> {
  const image = await imageAloneFor(ctx, imageId, "view");
  const versions = await versionsOf(ctx, image._id).order("desc").take(VERSIONS_MAX);
  const names = new Map<string, string>();
  for (const authorId of new Set(versions.map((version) => version.authorId)))
    if (authorId !== undefined) names.set(authorId, await authorName(ctx, authorId));
  return versions.map((version) => toVersion(version, names.get(version.authorId ?? ""), image.versionId));
}

export const getImageVersion = readerQuery({
  args: { imageId: v.string(), versionId: v.optional(v.string()) },
  returns: v.object({ image: designImageShape, number: v.number(), isCurrent: v.boolean() }),
  handler: async (ctx, { imageId, versionId }) => {
    const image = await imageAloneFor(ctx, imageId, "view");
    const version = versionId === undefined ? null : await versionFor(ctx, image, versionId);
    const shown = version ?? (image.versionId === undefined ? null : await ctx.db.get(image.versionId));
    return {
      image: forReader(ctx, toDesignImage(version ? { ...image, ...pictureFieldsOf(version), versionId: version._id } : image)),
      number: ctx.link ? 1 : (shown?.number ?? 1),
      isCurrent: shown === null || shown._id === image.versionId,
    };
  },
});

export const makeCurrent = userMutation({
  args: { imageId: v.string(), versionId: v.string() },
  returns: v.null(),
  handler: async (ctx, args) => {
    const { image, ...path } = await imageFor(ctx, args.imageId, "edit");
    const version = await versionFor(ctx, image, args.versionId);
    if (version._id === image.versionId) return null;
    await show(ctx, path, image, version);
    await imageReplaced(ctx, path);
    await recordActivity(ctx, { kind: "versioned", ...path, image, to: `Version ${version.number}` });
    return null;
  },
});

/** Adds a version, once per `uploadId`. Throws "limit" beyond `VERSIONS_MAX` or `quota`, "conflict" if the file is already in use. */
export const finalize = serverMutationForSender({
  args: {
    imageId: v.string(),
    uploadId: v.string(),
    storageId: v.id("_storage"),
    name: v.string(),
    ...pictureFields,
    quota: v.optional(v.number()),
  },
  returns: v.id("imageVersions"),
  handler: async (ctx, args) => {
    const { image: found, ...path } = await imageFor(ctx, args.imageId, "edit");
    const { ownerId } = path.project;
    // During a transfer the image may still have its former owner. The version counts towards the new one.
    const isTransferred = found.ownerId !== undefined && found.ownerId !== ownerId && (await transferImages(ctx, [found], ownerId)) > 0;
    const image = isTransferred ? ((await ctx.db.get(found._id)) ?? found) : found;
    const properties = check(imageProperties, args);

    const earlier = await ctx.db
      .query("imageVersions")
      .withIndex("by_upload", (q) => q.eq("uploadId", properties.uploadId))
      .first();
    if (earlier) {
      if (earlier.imageId !== image._id) throw conflict("This upload belongs to another image.");
      if (earlier.storageId !== args.storageId) await discardFile(ctx, args.storageId);
      return earlier._id;
    }

    if (properties.checksum === image.checksum) throw conflict("This file is already the current version.");
    const file = await ctx.db.system.get(args.storageId);
    if (!file) throw notFound();
    if (file.size !== properties.size) throw invalid({ size: ["The stored file has a different size."] });
    if (await isFileInUse(ctx, args.storageId)) throw conflict("This file belongs to another image.");

    await expectWithin(ctx, path.project.ownerId, properties.size, args.quota);
    const last = (await versionsOf(ctx, image._id).order("desc").first()) ?? (await insertFirst(ctx, image));
    if (last.number >= VERSIONS_MAX) throw limit(`An image can have at most ${VERSIONS_MAX} versions. Upload the file as a new image.`);
    const id = await ctx.db.insert("imageVersions", {
      ...properties,
      ...(image.ownerId !== undefined && { ownerId: image.ownerId }),
      imageId: image._id,
      number: last.number + 1,
      name: nameFromFile(args.name),
      authorId: ctx.user.id,
      addedAt: Date.now(),
      storageId: args.storageId,
    });
    const version = await ctx.db.get(id);
    if (version) await show(ctx, path, image, version);
    const bytes = image.bytes === undefined ? 0 : bytesOfFile(properties);
    if (image.bytes !== undefined) await ctx.db.patch(image._id, { bytes: image.bytes + bytes });
    await imageReplaced(ctx, path, bytes);
    await changeUsage(ctx, path.project.ownerId, { bytes: properties.size });
    await recordActivity(ctx, { kind: "versioned", ...path, image, to: `Version ${last.number + 1}` });
    return id;
  },
});

/** Throws "not_found" for visitors of public links, who see the current version only. */
export async function versionFor(ctx: QueryCtx | ReaderCtx, image: Doc<"designImages">, id: string): Promise<Doc<"imageVersions">> {
  const versionId = ctx.db.normalizeId("imageVersions", id);
  const version = versionId && (await ctx.db.get(versionId));
  if (!version || version.imageId !== image._id || ("link" in ctx && ctx.link && id !== image.versionId)) throw notFound();
  return version;
}

/** Returns the number of deleted versions; fewer than `batchSize` means that all are deleted. */
export async function deleteVersions(ctx: MutationCtx, imageId: Id<"designImages">, batchSize: number): Promise<number> {
  const versions = await versionsOf(ctx, imageId).take(batchSize);
  for (const version of versions) {
    await ctx.db.delete(version._id);
    if (await releaseFile(ctx, version)) await changeUsage(ctx, version.ownerId, { bytes: -version.size });
  }
  return versions.length;
}

function versionsOf(ctx: QueryCtx, imageId: Id<"designImages">) {
  return ctx.db.query("imageVersions").withIndex("by_image", (q) => q.eq("imageId", imageId));
}

async function insertFirst(ctx: MutationCtx, image: Doc<"designImages">): Promise<{ number: number }> {
  const { ownerId, authorId = ownerId, name, storageId, uploadId, _creationTime: addedAt } = image;
  const first = { ...pictureFieldsOf(image), imageId: image._id, number: 1, name, addedAt, storageId, uploadId };
  await ctx.db.insert("imageVersions", {
    ...first,
    ...(ownerId !== undefined && { ownerId }),
    ...(authorId !== undefined && { authorId }),
  });
  return first;
}

async function show(ctx: UserMutationCtx, path: DesignPath, image: Doc<"designImages">, version: Doc<"imageVersions">): Promise<void> {
  const { _id: versionId, storageId } = version;
  await ctx.db.patch(image._id, { ...pictureFieldsOf(version), storageId, versionId });
  await resetApprovals(ctx, { ...path, image: { ...image, versionId } });
}

/** Includes undefined `details`, `page` and `rotation`, so that a patch removes the previous ones. */
function pictureFieldsOf(row: Doc<"imageVersions"> | Doc<"designImages">) {
  const { contentType, size, width, height, checksum, placeholder, animated, details, page, rotation } = row;
  return { contentType, size, width, height, checksum, placeholder, animated, details, page, rotation };
}

async function authorName(ctx: CallerCtx, userId: string): Promise<string> {
  const user = await ctx.db
    .query("users")
    .withIndex("id", (q) => q.eq("id", userId))
    .first();
  if (!user) return "Deleted user";
  return user.id === ctx.user.id ? user.name || user.email : nameOf(user);
}

function toVersion(version: Doc<"imageVersions">, author: string | undefined, current: Id<"imageVersions"> | undefined) {
  const { _id, number, name, addedAt } = version;
  const { details: _, page: __, rotation, ...properties } = pictureFieldsOf(version);
  const turned = rotation === undefined ? {} : { rotation };
  return { ...properties, ...turned, _id, number, name, addedAt, author: author ?? null, isCurrent: _id === current } satisfies Infer<
    typeof versionShape
  >;
}
