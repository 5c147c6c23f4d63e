import { type Infer, v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import type { MutationCtx, QueryCtx } from "./_generated/server";
import { recordActivity } from "./activity";
import { imageFor, serverMutationFor, userMutation, userQuery } from "./access";
import { check } from "./check";
import { conflict, invalid, limit, notFound } from "./errors";
import { fileIsTaken, releaseFile } from "./files";
import { imageFacts, nameFromFile, VERSIONS_MAX } from "./rules";
import { designImageShape, toDesignImage, versionShape } from "./shapes";
import { imageReplaced } from "./summaries";
import { changeUsage, expectWithin } from "./usage";
import { pictureFacts } from "./versionTables";

/**
 * The versions of an image. The row of an image always has the current one's facts and file; `imageVersions` has all of them, the current one
 * too, as soon as there are two. So whoever lists, serves or counts images needs to know nothing of versions.
 */

/** All versions of an image, the newest first; none where there has been only one. Throws "not_found". */
export const getVersions = userQuery({
  args: { imageId: v.string() },
  returns: v.array(versionShape),
  handler: async (ctx, { imageId }) => {
    const { image } = await imageFor(ctx, imageId, "view");
    const versions = await versionsOf(ctx, image._id).order("desc").take(VERSIONS_MAX);
    const names = new Map<string, string>();
    for (const authorId of new Set(versions.map((version) => version.authorId)))
      if (authorId !== undefined) names.set(authorId, await nameOf(ctx, authorId));
    return versions.map((version) => toVersion(version, names.get(version.authorId ?? ""), image.versionId));
  },
});

/** An image as it looks in one of its versions (left out: the current one), and which that is. Throws "not_found". */
export const getImageVersion = userQuery({
  args: { imageId: v.string(), versionId: v.optional(v.string()) },
  returns: v.object({ image: designImageShape, number: v.number(), isCurrent: v.boolean() }),
  handler: async (ctx, { imageId, versionId }) => {
    const { image } = await imageFor(ctx, imageId, "view");
    const version = versionId === undefined ? null : await versionFor(ctx, image, versionId);
    const shown = version ?? (image.versionId === undefined ? null : await ctx.db.get(image.versionId));
    return {
      image: toDesignImage(version ? { ...image, ...factsOf(version), versionId: version._id } : image),
      number: shown?.number ?? 1,
      isCurrent: shown === null || shown._id === image.versionId,
    };
  },
});

/** Makes an older version, or again a newer one, the image's current one. Throws "not_found". */
export const makeCurrent = userMutation({
  args: { imageId: v.string(), versionId: v.string() },
  returns: v.null(),
  handler: async (ctx, args) => {
    const { image, ...place } = await imageFor(ctx, args.imageId, "edit");
    const version = await versionFor(ctx, image, args.versionId);
    if (version._id === image.versionId) return null;
    await show(ctx, image, version);
    await imageReplaced(ctx, place);
    await recordActivity(ctx, { kind: "versioned", ...place, image, to: `Version ${version.number}` });
    return null;
  },
});

/**
 * Makes a stored file the newest version of an image, and the current one, and answers its id. Idempotent by `uploadId`, as `uploads.finalize`
 * is. Throws "not_found", "invalid" for facts that break the rules, "limit" when there are too many or they are more than `quota`, and "conflict" when the file is the
 * current version already, or it or the upload belongs to something else.
 */
export const finalize = serverMutationFor({
  args: {
    imageId: v.string(),
    uploadId: v.string(),
    storageId: v.id("_storage"),
    name: v.string(),
    ...pictureFacts,
    quota: v.optional(v.number()),
  },
  returns: v.id("imageVersions"),
  handler: async (ctx, args) => {
    const { image, ...place } = await imageFor(ctx, args.imageId, "edit");
    const facts = check(imageFacts, args);

    const earlier = await ctx.db
      .query("imageVersions")
      .withIndex("by_upload", (q) => q.eq("uploadId", facts.uploadId))
      .first();
    if (earlier) {
      if (earlier.imageId !== image._id) throw conflict("This upload has gone to another image.");
      if (earlier.storageId !== args.storageId) await releaseFile(ctx, args.storageId);
      return earlier._id;
    }

    if (facts.checksum === image.checksum) throw conflict("This file is the current version already.");
    const file = await ctx.db.system.get(args.storageId);
    if (!file) throw notFound();
    if (file.size !== facts.size) throw invalid({ size: ["The stored file has another size."] });
    if (await fileIsTaken(ctx, args.storageId)) throw conflict("This file belongs to another image.");

    await expectWithin(ctx, place.project.ownerId, facts.size, args.quota);
    const last = (await versionsOf(ctx, image._id).order("desc").first()) ?? (await insertFirst(ctx, image));
    if (last.number >= VERSIONS_MAX) throw limit(`An image can have ${VERSIONS_MAX} versions at most.`);
    const id = await ctx.db.insert("imageVersions", {
      ...facts,
      ...(image.ownerId !== undefined && { ownerId: image.ownerId }),
      imageId: image._id,
      number: last.number + 1,
      name: nameFromFile(args.name),
      authorId: ctx.user.id,
      addedAt: Date.now(),
      storageId: args.storageId,
    });
    const version = await ctx.db.get(id);
    if (version) await show(ctx, image, version);
    await imageReplaced(ctx, place);
    await changeUsage(ctx, place.project.ownerId, { bytes: facts.size });
    await recordActivity(ctx, { kind: "versioned", ...place, image, to: `Version ${last.number + 1}` });
    return id;
  },
});

/** The version of this image with this id. Throws "not_found", also for one of another image. */
export async function versionFor(ctx: QueryCtx, image: Doc<"designImages">, id: string): Promise<Doc<"imageVersions">> {
  const known = ctx.db.normalizeId("imageVersions", id);
  const version = known && (await ctx.db.get(known));
  if (!version || version.imageId !== image._id) throw notFound();
  return version;
}

/**
 * Deletes up to `most` versions of an image whose own row is gone, with the files that nothing else has, and answers how many: fewer than
 * `most` means that none is left.
 */
export async function deleteVersions(ctx: MutationCtx, imageId: Id<"designImages">, most: number): Promise<number> {
  const versions = await versionsOf(ctx, imageId).take(most);
  for (const { _id, storageId, size, ownerId, checksum } of versions) {
    await ctx.db.delete(_id);
    if (await releaseFile(ctx, storageId, checksum)) await changeUsage(ctx, ownerId, { bytes: -size });
  }
  return versions.length;
}

function versionsOf(ctx: QueryCtx, imageId: Id<"designImages">) {
  return ctx.db.query("imageVersions").withIndex("by_image", (q) => q.eq("imageId", imageId));
}

/** What has been the only version becomes the first of several. */
async function insertFirst(ctx: MutationCtx, image: Doc<"designImages">): Promise<{ number: number }> {
  const { ownerId, name, storageId, uploadId, _creationTime: addedAt } = image;
  const first = { ...factsOf(image), imageId: image._id, number: 1, name, addedAt, storageId, uploadId };
  await ctx.db.insert("imageVersions", { ...first, ...(ownerId !== undefined && { ownerId, authorId: ownerId }) });
  return first;
}

async function show(ctx: MutationCtx, image: Doc<"designImages">, version: Doc<"imageVersions">): Promise<void> {
  const { _id: versionId, storageId } = version;
  await ctx.db.patch(image._id, { ...factsOf(version), storageId, versionId });
}

/** With `details` even where there are none, so that those of the version before do not stay. */
function factsOf(row: Doc<"imageVersions"> | Doc<"designImages">) {
  const { contentType, size, width, height, checksum, placeholder, animated, details } = row;
  return { contentType, size, width, height, checksum, placeholder, animated, details };
}

async function nameOf(ctx: QueryCtx, userId: string): Promise<string> {
  const user = await ctx.db
    .query("users")
    .withIndex("id", (q) => q.eq("id", userId))
    .first();
  return user?.name || user?.email || "Somebody who has left";
}

function toVersion(version: Doc<"imageVersions">, author: string | undefined, current: Id<"imageVersions"> | undefined) {
  const { _id, number, name, addedAt } = version;
  const { details: _, ...facts } = factsOf(version);
  return { ...facts, _id, number, name, addedAt, author: author ?? null, isCurrent: _id === current } satisfies Infer<typeof versionShape>;
}
