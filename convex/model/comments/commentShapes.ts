import { type Infer, v } from "convex/values";
import { anchor } from "./commentTables";

export const person = v.object({ userId: v.string(), name: v.string() });
export const commentImageShape = v.object({
  _id: v.id("commentImages"),
  name: v.string(),
  width: v.number(),
  height: v.number(),
  placeholder: v.union(v.string(), v.null()),
  animated: v.boolean(),
});
export const commentShape = v.object({
  _id: v.id("comments"),
  threadId: v.id("commentThreads"),
  key: v.string(),
  /** Mentions are "@[name](userId)" with the current name. "" for a deleted comment. */
  text: v.string(),
  author: v.object({ ...person.fields, isMe: v.boolean() }),
  /** Set for comments through a public link: "guest" for visitors, "link" for signed-in users. */
  through: v.optional(v.union(v.literal("guest"), v.literal("link"))),
  linkId: v.optional(v.id("links")),
  createdAt: v.number(),
  editedAt: v.optional(v.number()),
  isDeleted: v.boolean(),
  mentions: v.array(person),
  images: v.optional(v.array(commentImageShape)),
  reactions: v.array(v.object({ emoji: v.string(), count: v.number(), isMine: v.boolean() })),
});
export type Comment = Infer<typeof commentShape>;

const place = {
  anchor: v.optional(anchor),
  versionId: v.optional(v.id("imageVersions")),
  versionNumber: v.optional(v.number()),
};
const itemId = v.union(v.id("designs"), v.id("designImages"));
export const threadShape = v.object({
  _id: v.id("commentThreads"),
  itemId,
  ...place,
  createdAt: v.number(),
  lastAt: v.number(),
  replyCount: v.number(),
  isResolved: v.boolean(),
  resolvedBy: v.optional(v.string()),
  isUnread: v.boolean(),
  first: commentShape,
  replies: v.optional(v.array(commentShape)),
});
export type Thread = Infer<typeof threadShape>;

export const threadFilter = v.union(v.literal("open"), v.literal("resolved"), v.literal("mine"), v.literal("mentions"), v.literal("all"));
export type ThreadFilter = Infer<typeof threadFilter>;

export const pinShape = v.object({
  threadId: v.id("commentThreads"),
  anchor,
  versionId: v.optional(v.id("imageVersions")),
  versionNumber: v.optional(v.number()),
  isResolved: v.boolean(),
  isUnread: v.boolean(),
});
