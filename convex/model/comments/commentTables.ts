import { defineTable } from "convex/server";
import { type Infer, v } from "convex/values";
import { pictureFields } from "../images/versionTables";

/** A point, or a rectangle with its top left corner, in fractions of the unrotated image. */
export const anchor = v.object({
  x: v.number(),
  y: v.number(),
  width: v.optional(v.number()),
  height: v.optional(v.number()),
});
export type Anchor = Infer<typeof anchor>;

const { contentType, size, width, height, checksum, placeholder, animated } = pictureFields;
export const commentPicture = { contentType, size, width, height, checksum, placeholder, animated };

/** A design or an image. Access follows from it, so threads stay with an item that moves to another project. */
const itemId = v.union(v.id("designs"), v.id("designImages"));

export const commentTables = {
  commentThreads: defineTable({
    itemId,
    anchor: v.optional(anchor),
    versionId: v.optional(v.id("imageVersions")),
    versionNumber: v.optional(v.number()),
    authorId: v.string(),
    lastAt: v.number(),
    /** Includes the first comment, also after its deletion. */
    commentCount: v.number(),
    resolvedAt: v.optional(v.number()),
    resolvedBy: v.optional(v.string()),
    /** Created by the client, so that a repeated request starts one thread. */
    key: v.string(),
  })
    .index("by_item", ["itemId"])
    .index("by_state", ["itemId", "resolvedAt"])
    .index("by_latest", ["itemId", "lastAt"])
    .index("by_version", ["versionId"])
    .index("by_author", ["authorId", "itemId"])
    .index("by_key", ["authorId", "key"]),

  comments: defineTable({
    threadId: v.id("commentThreads"),
    isReply: v.boolean(),
    /** `authorId`: a user, or "guest-…" for a visitor of a link. In `text`, mentions are "@[](userId)"; "" for a deleted first comment. */
    authorId: v.string(),
    linkId: v.optional(v.id("links")),
    guestName: v.optional(v.string()),
    text: v.string(),
    createdAt: v.number(),
    editedAt: v.optional(v.number()),
    deletedAt: v.optional(v.number()),
    mentions: v.array(v.string()),
    imageIds: v.optional(v.array(v.id("commentImages"))),
    reactions: v.optional(v.array(v.object({ emoji: v.string(), count: v.number() }))),
    key: v.string(),
  })
    .index("by_thread", ["threadId", "isReply"])
    .index("by_author", ["authorId", "createdAt"])
    .index("by_link", ["linkId", "authorId"])
    .index("by_key", ["authorId", "key"]),

  commentImages: defineTable({
    itemId,
    commentId: v.optional(v.id("comments")),
    authorId: v.string(),
    ownerId: v.string(),
    name: v.string(),
    ...commentPicture,
    storageId: v.id("_storage"),
    uploadId: v.string(),
  })
    .index("by_item", ["itemId"])
    .index("by_comment", ["commentId"])
    .index("by_author", ["authorId", "commentId"])
    .index("by_upload", ["authorId", "uploadId"])
    .index("by_owner", ["ownerId"])
    .index("by_storage", ["storageId"]),

  commentReactions: defineTable({
    commentId: v.id("comments"),
    threadId: v.id("commentThreads"),
    userId: v.string(),
    emoji: v.string(),
  })
    .index("by_comment", ["commentId", "userId"])
    .index("by_thread", ["threadId"])
    .index("by_user", ["userId"]),

  commentMentions: defineTable({
    userId: v.string(),
    itemId,
    threadId: v.id("commentThreads"),
    count: v.number(),
  })
    .index("by_user", ["userId", "itemId"])
    .index("by_thread", ["threadId", "userId"]),

  /** The time until which a person has read the comments of an item and of all items in it. */
  commentReads: defineTable({
    userId: v.string(),
    itemId: v.union(v.id("projects"), v.id("designs"), v.id("designImages")),
    readAt: v.number(),
    /** For a design: the time until which its own threads are read, without those of its images. */
    ownReadAt: v.optional(v.number()),
  })
    .index("by_item", ["itemId", "userId"])
    .index("by_user", ["userId"]),
};
