import { defineTable } from "convex/server";
import { v } from "convex/values";
import { memberRole } from "../memberRole";

export const invitationTables = {
  invitations: defineTable({
    email: v.string(),
    tokenHash: v.string(),
    /** Whether only the address's owner and the operator have the token. Signing up with the token then verifies the address. */
    provesAddress: v.boolean(),
    projectId: v.optional(v.id("projects")),
    role: v.optional(memberRole),
    invitedBy: v.optional(v.string()),
    createdAt: v.number(),
    expiresAt: v.number(),
    acceptedAt: v.optional(v.number()),
    acceptedBy: v.optional(v.string()),
    revokedAt: v.optional(v.number()),
  })
    .index("by_token", ["tokenHash"])
    .index("by_email", ["email", "expiresAt"])
    .index("by_project", ["projectId", "expiresAt"])
    .index("by_inviter", ["invitedBy"])
    .index("by_recipient", ["acceptedBy"])
    .index("by_expiry", ["expiresAt"]),
};
