import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";
import { accessTokenTables } from "./model/accounts/accessTokens";
import { invitationTables } from "./model/accounts/invitationTables";
import { mailTables } from "./model/accounts/mailTables";
import { noticeTables } from "./model/accounts/noticeTables";
import { settingsTables } from "./model/accounts/settingsTables";
import { accountTables } from "./model/accounts/tables";
import { activity } from "./model/activities/activityShape";
import { auditTables } from "./model/audit/auditTables";
import { memberRole } from "./model/memberRole";
import { movingTables } from "./model/moving/movingTables";
import { bulkTables } from "./model/bulk/bulkTables";
import { commentTables } from "./model/comments/commentTables";
import { accessCopyTables } from "./model/items/accessCopies";
import { favouriteTables } from "./model/items/favourites";
import { linkTables } from "./model/links/linkTables";
import { notificationTables } from "./model/notifications/settings";
import { presenceTables } from "./model/presence/presenceTables";
import { revocationTables } from "./model/revocations/revocationTables";
import { projectReviews, review, reviewCounts, reviewTables } from "./model/review/reviewTables";
import { transferTables } from "./model/transfers/transferTables";
import { tagTables } from "./model/tags/tagTables";
import { undoTables } from "./model/undo/undoTables";
import { webhookTables } from "./model/webhooks/webhookTables";
import { chosenAs, pictureFields, rotation, versionTables } from "./model/images/versionTables";

/** Names follow the specification (section 3). `summaries.ts` denormalizes counts and covers, so lists read only their own rows. */

const coverPicture = v.object({
  imageId: v.id("designImages"),
  placeholder: v.union(v.string(), v.null()),
  width: v.number(),
  height: v.number(),
  versionId: v.optional(v.id("imageVersions")),
  rotation: v.optional(rotation),
  addedAt: v.number(),
});
const cover = v.array(coverPicture);

/** Set only on the item itself, so that restoring it restores exactly the contents that were trashed with it. */
const removedAt = v.optional(v.number());

/** Set when permanent deletion begins (`purge.ts`); this cannot be undone. */
const purgingSince = v.optional(v.number());

/** Fractional index (`order.ts`). Rows without one come first, by age. */
const orderKey = v.optional(v.string());

const sortName = v.optional(v.string());

const tags = v.optional(v.array(v.string()));

/** Searchable text (`words.ts`). `upgrade.ts` adds it to rows of earlier builds. */
const words = v.optional(v.string());

/** Time of the newest comment on the item or in it. Stays when that comment is deleted (`model/comments/unread.ts`). */
const lastCommentAt = v.optional(v.number());

/** Bytes of all versions of the counted images (`imageBytes.ts`). `upgrade.ts` counts images of earlier builds. */
const bytes = v.optional(v.number());

const openThreadCount = v.optional(v.number());

const arranged = {
  description: v.optional(v.string()),
  orderKey,
  sortName,
  words,
  /** The owner's favourites for the previous build. Reads use the table `favourites`. */
  favouriteAt: v.optional(v.number()),
  /** `chosenCover` is absent while the image is trashed or elsewhere. */
  coverImageId: v.optional(v.id("designImages")),
  chosenCover: v.optional(coverPicture),
  lastCommentAt,
  removedAt,
  purgingSince,
};

/** Denormalized for search, which does not find rows of builds without it. */
const ownerId = v.optional(v.string());

const worded = { searchField: "words" as const, filterFields: ["ownerId" as const, "removedAt" as const] };

export default defineSchema({
  ...accountTables,
  ...accessTokenTables,
  ...noticeTables,
  ...mailTables,
  ...notificationTables,
  ...invitationTables,
  ...settingsTables,
  ...versionTables,
  ...tagTables,
  ...undoTables,
  ...bulkTables,
  ...favouriteTables,
  ...accessCopyTables,
  ...linkTables,
  ...webhookTables,
  ...commentTables,
  ...presenceTables,
  ...reviewTables,
  ...transferTables,
  ...auditTables,
  ...movingTables,
  ...revocationTables,

  projects: defineTable({
    ownerId: v.string(),
    /** Set while the project has webhooks, so that others need no query. */
    hasWebhooks: v.optional(v.literal(true)),
    name: v.string(),
    updatedAt: v.number(),
    designCount: v.number(),
    imageCount: v.number(),
    bytes,
    cover,
    reviews: v.optional(projectReviews),
    ...arranged,
  })
    .index("by_owner", ["ownerId", "removedAt", "updatedAt"])
    .index("by_created", ["ownerId", "removedAt"])
    .index("by_age", ["ownerId", "removedAt", "favouriteAt"])
    .index("by_sort_name", ["ownerId", "removedAt", "sortName"])
    .index("by_order", ["ownerId", "removedAt", "orderKey"])
    .index("by_trash", ["ownerId", "purgingSince", "removedAt"])
    .index("by_cover_image", ["coverImageId"])
    .index("by_removal", ["purgingSince", "removedAt"])
    .index("by_bytes", ["bytes"])
    .searchIndex("by_words", worded),

  projectMembers: defineTable({
    projectId: v.id("projects"),
    userId: v.string(),
    role: memberRole,
    addedAt: v.number(),
    addedBy: v.string(),
  })
    .index("by_project", ["projectId", "userId"])
    .index("by_addition", ["projectId", "addedAt"])
    .index("by_user", ["userId", "addedAt"])
    .index("by_adder", ["addedBy"]),

  designs: defineTable({
    ownerId,
    projectId: v.id("projects"),
    name: v.string(),
    updatedAt: v.number(),
    imageCount: v.number(),
    bytes,
    cover,
    /** `addedAt` of the newest image; 0 without images. */
    latestImageAt: v.number(),
    tags,
    openThreadCount,
    review: v.optional(review),
    /** Statuses of the design's images, and the number of images with a status; absent instead of 0. */
    imageReviews: v.optional(reviewCounts),
    reviewedImages: v.optional(v.number()),
    ...arranged,
  })
    .index("by_project", ["projectId", "removedAt", "updatedAt"])
    .index("by_created", ["projectId", "removedAt"])
    .index("by_age", ["projectId", "removedAt", "favouriteAt"])
    .index("by_sort_name", ["projectId", "removedAt", "sortName"])
    .index("by_order", ["projectId", "removedAt", "orderKey"])
    .index("by_latest_image", ["projectId", "removedAt", "latestImageAt"])
    .index("by_comment", ["projectId", "removedAt", "lastCommentAt"])
    .index("by_creation", ["projectId", "removedAt"])
    .index("by_review", ["projectId", "removedAt", "review.status", "orderKey"])
    .index("by_reviewed_images", ["projectId", "removedAt", "reviewedImages"])
    .index("by_trash", ["ownerId", "purgingSince", "removedAt"])
    .index("by_cover_image", ["coverImageId"])
    .index("by_removal", ["purgingSince", "removedAt"])
    .searchIndex("by_words", worded),

  designImages: defineTable({
    ownerId,
    designId: v.id("designs"),
    name: v.string(),
    ...pictureFields,
    storageId: v.id("_storage"),
    bytes,
    /** Set when there are several versions; the row then has a copy of the current one's fields. */
    versionId: v.optional(v.id("imageVersions")),
    uploadId: v.string(),
    /** Who uploaded it, if not the owner. */
    authorId: v.optional(v.string()),
    chosenAs: v.optional(chosenAs),
    caption: v.optional(v.string()),
    tags,
    review: v.optional(review),
    orderKey,
    sortName,
    words,
    lastCommentAt,
    openThreadCount,
    removedAt,
    purgingSince,
  })
    .index("by_design", ["designId", "removedAt"])
    .index("by_comment", ["designId", "removedAt", "lastCommentAt"])
    .index("by_order", ["designId", "removedAt", "orderKey"])
    .index("by_review", ["designId", "removedAt", "review.status", "orderKey"])
    .index("by_sort_name", ["designId", "removedAt", "sortName"])
    .index("by_size", ["designId", "removedAt", "size"])
    .index("by_content_type", ["designId", "removedAt", "contentType"])
    .index("by_checksum", ["designId", "checksum", "removedAt"])
    .index("by_upload", ["uploadId"])
    .index("by_storage", ["storageId", "ownerId"])
    .index("by_version", ["versionId"])
    .index("by_trash", ["ownerId", "purgingSince", "removedAt"])
    .index("by_removal", ["purgingSince", "removedAt"])
    .index("by_type", ["ownerId", "removedAt", "contentType"])
    .searchIndex("by_words", { ...worded, filterFields: [...worded.filterFields, "contentType"] }),

  usage: defineTable({
    ownerId: v.string(),
    projects: v.number(),
    designs: v.number(),
    images: v.number(),
    bytes: v.number(),
    counting: v.optional(v.number()),
  })
    .index("by_owner", ["ownerId"])
    .index("by_bytes", ["bytes"]),

  activities: defineTable(activity)
    .index("by_project", ["projectId", "at"])
    .index("by_owner", ["ownerId", "at"])
    .index("by_thing", ["thing.id"])
    .index("by_design", ["design.id"])
    .index("by_from", ["fromId"])
    .index("by_to", ["toId"]),

  releasedFiles: defineTable({ checksum: v.string() }),

  upgrades: defineTable({ name: v.string() }).index("by_name", ["name"]),

  sweeps: defineTable({ sweptUntil: v.number(), files: v.optional(v.number()) }),
});
