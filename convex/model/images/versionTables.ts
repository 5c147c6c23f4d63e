import { defineTable } from "convex/server";
import { type Infer, v } from "convex/values";

/** Visible to everyone who sees the image, so it stores whether the file has a location, but not the location. */
export const pictureDetails = v.object({
  colourSpace: v.optional(v.string()),
  camera: v.optional(v.string()),
  lens: v.optional(v.string()),
  exposureTime: v.optional(v.number()),
  aperture: v.optional(v.number()),
  iso: v.optional(v.number()),
  focalLength: v.optional(v.number()),
  hasPlace: v.boolean(),
});

/** Position within a batch of files, which arrive in any order. */
export const chosenAs = v.object({
  batch: v.string(),
  index: v.number(),
});

/** Degrees clockwise by which users turned a picture, in addition to the file's own orientation. */
export const rotation = v.union(v.literal(0), v.literal(90), v.literal(180), v.literal(270));
export type Rotation = Infer<typeof rotation>;

export const pictureFields = {
  contentType: v.string(),
  size: v.number(),
  width: v.number(),
  height: v.number(),
  checksum: v.string(),
  placeholder: v.union(v.string(), v.null()),
  animated: v.boolean(),
  details: v.optional(pictureDetails),
  /** Page of a PDF, from 1. The pages of a PDF share its file. */
  page: v.optional(v.number()),
  /** `width` and `height` are those of the rotated picture. Set from the first rotation on. */
  rotation: v.optional(rotation),
};

export const versionTables = {
  imageVersions: defineTable({
    ...pictureFields,
    ownerId: v.optional(v.string()),
    imageId: v.id("designImages"),
    number: v.number(),
    name: v.string(),
    authorId: v.optional(v.string()),
    addedAt: v.number(),
    storageId: v.id("_storage"),
    uploadId: v.string(),
  })
    .index("by_image", ["imageId", "number"])
    .index("by_upload", ["uploadId"])
    .index("by_storage", ["storageId", "ownerId"])
    .index("by_owner", ["ownerId"]),
};
