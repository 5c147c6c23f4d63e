import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";
import { mailTables } from "./accounts/mailTables";
import { noticeTables } from "./accounts/noticeTables";
import { screenTables } from "./accounts/screenTables";
import { accountTables } from "./accounts/tables";
import { activity } from "./activityShape";
import { tagTables } from "./tagTables";
import { pictureFacts, versionTables } from "./versionTables";

/**
 * The data, with the specification's names (section 3). Counts and covers are kept beside what they count, in the mutation that changes them
 * (`summaries.ts`), so that a list reads its own rows and nothing else. Every read is by an index named here.
 */

/** One picture of a cover. `addedAt` is the image's creation time, by which the covers of designs make the one of their project. */
const coverPicture = v.object({
  imageId: v.id("designImages"),
  placeholder: v.union(v.string(), v.null()),
  width: v.number(),
  height: v.number(),
  /** Which version it is, where the image has several. */
  versionId: v.optional(v.id("imageVersions")),
  addedAt: v.number(),
});
const cover = v.array(coverPicture);

/** In the trash since then: it, and all that is in it, is hidden. Only the thing itself is marked, so that restoring it brings back what went. */
const removedAt = v.optional(v.number());

/** Set when something in the trash is deleted for ever: `purge.ts` is at work on its rows and files, and nothing brings it back. */
const purgingSince = v.optional(v.number());

/** Where it stands in the order made by hand: a fractional index (`order.ts`). Without one: before those that have one, by its age. */
const orderKey = v.optional(v.string());

/** Its name as lists by name have it: `order.ts`. */
const sortName = v.optional(v.string());

/** The words of its tags, as they were first written; without any none (`tagging.ts`). */
const tags = v.optional(v.array(v.string()));

/** By which it is found: `words.ts`. A row from before the field is found once `upgrade.ts` has given it one. */
const words = v.optional(v.string());

/** What projects and designs have that people arrange. */
const arranged = {
  description: v.optional(v.string()),
  orderKey,
  sortName,
  words,
  /** When its owner made it a favourite. */
  favouriteAt: v.optional(v.number()),
  /** The image that was chosen as its cover, and its picture as long as that image is to be seen there. */
  coverImageId: v.optional(v.id("designImages")),
  chosenCover: v.optional(coverPicture),
  removedAt,
  purgingSince,
};

/**
 * The owner of the project that it is in, so that a search reads nobody else's. Whatever makes such a row, or moves it, sets this. A row from
 * before the field has none: it is where it was, but no search finds it until it is given one.
 */
const ownerId = v.optional(v.string());

/** How words are searched: `search.ts`. */
const worded = { searchField: "words" as const, filterFields: ["ownerId" as const, "removedAt" as const] };

export default defineSchema({
  ...accountTables,
  ...noticeTables,
  ...mailTables,
  ...screenTables,
  ...versionTables,
  ...tagTables,

  projects: defineTable({
    /** `users.id`. */
    ownerId: v.string(),
    name: v.string(),
    updatedAt: v.number(),
    designCount: v.number(),
    imageCount: v.number(),
    cover,
    ...arranged,
  })
    .index("by_owner", ["ownerId", "removedAt", "updatedAt"])
    .index("by_change", ["ownerId", "removedAt", "favouriteAt", "updatedAt"])
    .index("by_age", ["ownerId", "removedAt", "favouriteAt"])
    .index("by_sort_name", ["ownerId", "removedAt", "favouriteAt", "sortName"])
    .index("by_order", ["ownerId", "removedAt", "orderKey"])
    .index("by_trash", ["ownerId", "purgingSince", "removedAt"])
    .index("by_cover_image", ["coverImageId"])
    .index("by_removal", ["purgingSince", "removedAt"])
    .searchIndex("by_words", worded),

  designs: defineTable({
    ownerId,
    projectId: v.id("projects"),
    name: v.string(),
    updatedAt: v.number(),
    imageCount: v.number(),
    cover,
    /** `addedAt` of the newest image; 0 without images. */
    latestImageAt: v.number(),
    tags,
    ...arranged,
  })
    .index("by_project", ["projectId", "removedAt", "updatedAt"])
    .index("by_change", ["projectId", "removedAt", "favouriteAt", "updatedAt"])
    .index("by_age", ["projectId", "removedAt", "favouriteAt"])
    .index("by_sort_name", ["projectId", "removedAt", "favouriteAt", "sortName"])
    .index("by_order", ["projectId", "removedAt", "orderKey"])
    .index("by_latest_image", ["projectId", "removedAt", "latestImageAt"])
    .index("by_trash", ["ownerId", "purgingSince", "removedAt"])
    .index("by_cover_image", ["coverImageId"])
    .index("by_removal", ["purgingSince", "removedAt"])
    .searchIndex("by_words", worded),

  designImages: defineTable({
    ownerId,
    designId: v.id("designs"),
    name: v.string(),
    ...pictureFacts,
    storageId: v.id("_storage"),
    /** The current version, where there are several: facts and file are its. */
    versionId: v.optional(v.id("imageVersions")),
    /** Names the upload that made this row, so that finishing it twice makes one. */
    uploadId: v.string(),
    caption: v.optional(v.string()),
    tags,
    orderKey,
    sortName,
    words,
    removedAt,
    purgingSince,
  })
    .index("by_design", ["designId", "removedAt"])
    .index("by_order", ["designId", "removedAt", "orderKey"])
    .index("by_sort_name", ["designId", "removedAt", "sortName"])
    .index("by_checksum", ["designId", "checksum", "removedAt"])
    .index("by_upload", ["uploadId"])
    .index("by_storage", ["storageId"])
    .index("by_version", ["versionId"])
    .index("by_trash", ["ownerId", "purgingSince", "removedAt"])
    .index("by_removal", ["purgingSince", "removedAt"])
    .index("by_type", ["ownerId", "removedAt", "contentType"])
    .searchIndex("by_words", { ...worded, filterFields: [...worded.filterFields, "contentType"] }),

  /** How much each person has; kept by `usage.ts`. */
  usage: defineTable({
    ownerId: v.string(),
    /** Of these only what is not in the trash. */
    projects: v.number(),
    designs: v.number(),
    images: v.number(),
    /** Of all stored files, each once: what is in the trash too, until it is deleted for ever. */
    bytes: v.number(),
    /** While the bytes are counted anew: which count it is. */
    counting: v.optional(v.number()),
  }).index("by_owner", ["ownerId"]),

  /** Who did what in a project, and when: `activity.ts`. */
  activities: defineTable(activity).index("by_project", ["projectId", "at"]).index("by_owner", ["ownerId", "at"]),

  /** Contents of stored files that were deleted lately: `released.ts`. */
  releasedFiles: defineTable({ checksum: v.string() }),

  /** What `upgrade.ts` has done. */
  upgrades: defineTable({ name: v.string() }).index("by_name", ["name"]),

  /** One row: up to which creation time all stored files are known to have a row of their own. */
  sweeps: defineTable({ sweptUntil: v.number() }),
});
