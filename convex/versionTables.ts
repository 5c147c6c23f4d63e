import { defineTable } from "convex/server";
import { v } from "convex/values";

/**
 * What the file of a picture tells beside its pixels, as far as everyone who sees the picture may know it. Where it was taken is not kept: only
 * that the file says so, for its owner.
 */
export const pictureDetails = v.object({
  colourSpace: v.optional(v.string()),
  camera: v.optional(v.string()),
  lens: v.optional(v.string()),
  /** Seconds. */
  exposureTime: v.optional(v.number()),
  /** The f-number. */
  aperture: v.optional(v.number()),
  iso: v.optional(v.number()),
  /** Millimetres. */
  focalLength: v.optional(v.number()),
  hasPlace: v.boolean(),
});

/** What is known of a stored picture. */
export const pictureFacts = {
  contentType: v.string(),
  size: v.number(),
  width: v.number(),
  height: v.number(),
  checksum: v.string(),
  placeholder: v.union(v.string(), v.null()),
  animated: v.boolean(),
  details: v.optional(pictureDetails),
};

export const versionTables = {
  /**
   * The versions of an image, once there is more than one: then each has a row here, and that of the image repeats the current one's facts, so that
   * whoever only looks needs no more. An image with a single version has none.
   */
  imageVersions: defineTable({
    ...pictureFacts,
    /** Whose the image is, as on its row. */
    ownerId: v.optional(v.string()),
    imageId: v.id("designImages"),
    /** From 1, in the order in which they came. */
    number: v.number(),
    /** The file's own name. */
    name: v.string(),
    /** `users.id` of who added it. */
    authorId: v.optional(v.string()),
    addedAt: v.number(),
    storageId: v.id("_storage"),
    /** Names the upload that made this row, so that finishing it twice makes one. */
    uploadId: v.string(),
  })
    .index("by_image", ["imageId", "number"])
    .index("by_upload", ["uploadId"])
    .index("by_storage", ["storageId"])
    .index("by_owner", ["ownerId"]),
};
