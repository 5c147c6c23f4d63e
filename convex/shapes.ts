import { type Infer, v } from "convex/values";
import type { Doc } from "./_generated/dataModel";

/**
 * What callers get to see of a row, as validators (each function's `returns`), as types, and as the functions that make them. Never storage
 * ids or their URLs: pictures are served by the app, which asks for access each time.
 */

export const coverShape = v.object({
  imageId: v.id("designImages"),
  /** Thumbhash in base64. */
  placeholder: v.union(v.string(), v.null()),
  width: v.number(),
  height: v.number(),
  /** Part of its address, where the image has several versions: another one is another picture. */
  versionId: v.optional(v.id("imageVersions")),
});
export type Cover = Infer<typeof coverShape>;

export const projectShape = v.object({
  _id: v.id("projects"),
  _creationTime: v.number(),
  name: v.string(),
  /** When the project, or anything in it, last changed (milliseconds). */
  updatedAt: v.number(),
  designCount: v.number(),
  imageCount: v.number(),
  /** The image that was chosen, or else its newest, at most `COVER_SIZE`, newest first. */
  cover: v.array(coverShape),
  /** Whether the cover was chosen. */
  coverChosen: v.boolean(),
  favourite: v.boolean(),
  /** "" without one. */
  description: v.string(),
});
export type Project = Infer<typeof projectShape>;

export const designShape = v.object({
  _id: v.id("designs"),
  _creationTime: v.number(),
  projectId: v.id("projects"),
  name: v.string(),
  /** When the design, or an image in it, last changed (milliseconds). */
  updatedAt: v.number(),
  imageCount: v.number(),
  /** The image that was chosen, or else its newest, at most `COVER_SIZE`, newest first. */
  cover: v.array(coverShape),
  /** Whether the cover was chosen. */
  coverChosen: v.boolean(),
  favourite: v.boolean(),
  /** "" without one. */
  description: v.string(),
  /** Left out without any. */
  tags: v.optional(v.array(v.string())),
});
export type Design = Infer<typeof designShape>;

export const designImageShape = v.object({
  _id: v.id("designImages"),
  _creationTime: v.number(),
  designId: v.id("designs"),
  name: v.string(),
  /** "" without one. */
  caption: v.string(),
  /** Left out without any. */
  tags: v.optional(v.array(v.string())),
  contentType: v.string(),
  /** Bytes of the file as uploaded. */
  size: v.number(),
  /** Pixels, as shown (turned upright). */
  width: v.number(),
  height: v.number(),
  /** SHA-256 of the file, hexadecimal. */
  checksum: v.string(),
  /** Thumbhash in base64. */
  placeholder: v.union(v.string(), v.null()),
  animated: v.boolean(),
  /** Which version it is, where there are several. */
  versionId: v.optional(v.id("imageVersions")),
});
export type DesignImage = Infer<typeof designImageShape>;

/** One version of an image, in its history. */
export const versionShape = v.object({
  _id: v.id("imageVersions"),
  /** From 1. */
  number: v.number(),
  /** The file's own name. */
  name: v.string(),
  /** Who added it; null: not known. */
  author: v.union(v.string(), v.null()),
  /** Milliseconds. */
  addedAt: v.number(),
  isCurrent: v.boolean(),
  contentType: v.string(),
  size: v.number(),
  width: v.number(),
  height: v.number(),
  checksum: v.string(),
  placeholder: v.union(v.string(), v.null()),
  animated: v.boolean(),
});

export function toProject(row: Doc<"projects">): Project {
  const { _id, _creationTime, name, updatedAt, designCount, imageCount } = row;
  return { _id, _creationTime, name, updatedAt, designCount, imageCount, ...arranged(row) };
}

export function toDesign(row: Doc<"designs">): Design {
  const { _id, _creationTime, projectId, name, updatedAt, imageCount, tags } = row;
  return { _id, _creationTime, projectId, name, updatedAt, imageCount, ...arranged(row), ...(tags && { tags }) };
}

export function toDesignImage(row: Doc<"designImages">): DesignImage {
  const {
    _id,
    _creationTime,
    designId,
    name,
    caption = "",
    contentType,
    size,
    width,
    height,
    checksum,
    placeholder,
    animated,
    versionId,
    tags,
  } = row;
  const facts = { contentType, size, width, height, checksum, placeholder, animated };
  return { _id, _creationTime, designId, name, caption, ...facts, ...(tags && { tags }), ...(versionId !== undefined && { versionId }) };
}

function arranged({ cover, chosenCover, coverImageId, favouriteAt, description = "" }: Doc<"projects"> | Doc<"designs">) {
  return {
    cover: (chosenCover ? [chosenCover] : cover).map(toCover),
    coverChosen: coverImageId !== undefined,
    favourite: favouriteAt !== undefined,
    description,
  };
}

function toCover({ imageId, placeholder, width, height, versionId }: Doc<"designs">["cover"][number]): Cover {
  return { imageId, placeholder, width, height, ...(versionId !== undefined && { versionId }) };
}
