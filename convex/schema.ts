import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";
import { mailTables } from "./accounts/mailTables";
import { noticeTables } from "./accounts/noticeTables";
import { screenTables } from "./accounts/screenTables";
import { accountTables } from "./accounts/tables";

/**
 * The data, with the specification's names (section 3). Counts and covers are kept beside what they count, in the mutation that changes them
 * (`summaries.ts`), so that a list reads its own rows and nothing else. Every read is by an index named here.
 */

/** One picture of a cover. `addedAt` is the image's creation time, by which the covers of designs make the one of their project. */
const cover = v.array(
  v.object({
    imageId: v.id("designImages"),
    placeholder: v.union(v.string(), v.null()),
    width: v.number(),
    height: v.number(),
    addedAt: v.number(),
  }),
);

/** Set when something is removed: from then on it, and all that is in it, is hidden; `purge.ts` deletes the rows and files later. */
const removedAt = v.optional(v.number());

/**
 * The owner of the project that it is in, so that a search reads nobody else's. Whatever makes such a row, or moves it, sets this. A row from
 * before the field has none: it is where it was, but no search finds it until it is given one.
 */
const ownerId = v.optional(v.string());

/** How names are searched: `search.ts`. */
const named = { searchField: "name" as const, filterFields: ["ownerId" as const, "removedAt" as const] };

export default defineSchema({
  ...accountTables,
  ...noticeTables,
  ...mailTables,
  ...screenTables,

  projects: defineTable({
    /** `users.id`. */
    ownerId: v.string(),
    name: v.string(),
    updatedAt: v.number(),
    designCount: v.number(),
    imageCount: v.number(),
    cover,
    removedAt,
  })
    .index("by_owner", ["ownerId", "removedAt", "updatedAt"])
    .index("by_removal", ["removedAt"])
    .searchIndex("by_name", named),

  designs: defineTable({
    ownerId,
    projectId: v.id("projects"),
    name: v.string(),
    updatedAt: v.number(),
    imageCount: v.number(),
    cover,
    /** `addedAt` of the newest image; 0 without images. */
    latestImageAt: v.number(),
    removedAt,
  })
    .index("by_project", ["projectId", "removedAt", "updatedAt"])
    .index("by_latest_image", ["projectId", "removedAt", "latestImageAt"])
    .index("by_removal", ["removedAt"])
    .searchIndex("by_name", named),

  designImages: defineTable({
    ownerId,
    designId: v.id("designs"),
    name: v.string(),
    contentType: v.string(),
    size: v.number(),
    width: v.number(),
    height: v.number(),
    checksum: v.string(),
    placeholder: v.union(v.string(), v.null()),
    animated: v.boolean(),
    storageId: v.id("_storage"),
    /** Names the upload that made this row, so that finishing it twice makes one. */
    uploadId: v.string(),
    removedAt,
  })
    .index("by_design", ["designId", "removedAt"])
    .index("by_upload", ["uploadId"])
    .index("by_storage", ["storageId"])
    .index("by_removal", ["removedAt"])
    .searchIndex("by_name", named),

  /** One row: up to which creation time all stored files are known to have a row of their own. */
  sweeps: defineTable({ sweptUntil: v.number() }),
});
