import { defineTable } from "convex/server";
import { v } from "convex/values";

const linkKind = v.union(v.literal("view"), v.literal("comment"));

export const linkTables = {
  links: defineTable({
    projectId: v.id("projects"),
    /** The project, or a design or image in it. Visitors see nothing else. */
    itemId: v.union(v.id("projects"), v.id("designs"), v.id("designImages")),
    kind: linkKind,
    name: v.string(),
    /** `tokenHash`: SHA-256 in base64url. `sealedToken`: encrypted by the app server, for those who manage links. */
    tokenHash: v.string(),
    sealedToken: v.string(),
    passwordHash: v.optional(v.string()),
    /** Changes with the password. Tokens and cookies contain it, so they are refused after a password change. */
    lock: v.number(),
    expiresAt: v.optional(v.number()),
    /** Set when the link has expired, so that live queries of visitors run again. */
    expiredAt: v.optional(v.number()),
    downloads: v.boolean(),
    hasComments: v.optional(v.literal(true)),
    createdBy: v.string(),
    createdAt: v.number(),
    key: v.optional(v.string()),
  })
    .index("by_token", ["tokenHash"])
    .index("by_key", ["createdBy", "itemId", "key"])
    .index("by_project", ["projectId", "createdAt"])
    .index("by_creator", ["createdBy", "createdAt"]),

  /** Separate from the link, because a visit must not rerun the visitors' live queries. */
  linkVisits: defineTable({
    linkId: v.id("links"),
    visits: v.number(),
    lastUsedAt: v.number(),
  }).index("by_link", ["linkId"]),

  /** Links in a person's "Shared with me". Deleted with the link, and with the account. */
  savedLinks: defineTable({
    userId: v.string(),
    linkId: v.id("links"),
    /** The link's `lock` when it was saved. The target's name is hidden after the link's `lock` has changed. */
    lock: v.number(),
    savedAt: v.number(),
  })
    .index("by_user", ["userId", "savedAt"])
    .index("by_link", ["linkId", "userId"]),
};
