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
  /** Its newest images, at most `COVER_SIZE`, newest first. */
  cover: v.array(coverShape),
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
  /** Its newest images, at most `COVER_SIZE`, newest first. */
  cover: v.array(coverShape),
});
export type Design = Infer<typeof designShape>;

export const designImageShape = v.object({
  _id: v.id("designImages"),
  _creationTime: v.number(),
  designId: v.id("designs"),
  name: v.string(),
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
});
export type DesignImage = Infer<typeof designImageShape>;

export function toProject({ _id, _creationTime, name, updatedAt, designCount, imageCount, cover }: Doc<"projects">): Project {
  return { _id, _creationTime, name, updatedAt, designCount, imageCount, cover: cover.map(toCover) };
}

export function toDesign({ _id, _creationTime, projectId, name, updatedAt, imageCount, cover }: Doc<"designs">): Design {
  return { _id, _creationTime, projectId, name, updatedAt, imageCount, cover: cover.map(toCover) };
}

export function toDesignImage(row: Doc<"designImages">): DesignImage {
  const { _id, _creationTime, designId, name, contentType, size, width, height, checksum, placeholder, animated } = row;
  return { _id, _creationTime, designId, name, contentType, size, width, height, checksum, placeholder, animated };
}

function toCover({ imageId, placeholder, width, height }: Doc<"designs">["cover"][number]): Cover {
  return { imageId, placeholder, width, height };
}
