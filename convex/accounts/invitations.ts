import { v } from "convex/values";
import { internalMutation } from "../model/functions";
import { serverMutation, serverQuery } from "../model/access";
import { recordAuditEvent } from "../model/audit/recordAuditEvent";
import { insertInvitation, isPending, pendingInvitation, pendingInvitationsFor, revokeInvitations } from "../model/accounts/invitations";

const MAX_LISTED = 1000;

export const create = serverMutation({
  args: { email: v.string(), tokenHash: v.string() },
  returns: v.null(),
  handler: async (ctx, { email, tokenHash }) => {
    await insertInvitation(ctx, { email, tokenHash, provesAddress: true });
    await recordAuditEvent(ctx, { action: "invitation.created" }, { actor: "operator" });
    return null;
  },
});

export const find = serverQuery({
  args: { tokenHash: v.string() },
  returns: v.union(v.object({ email: v.string(), provesAddress: v.boolean(), projectId: v.optional(v.id("projects")) }), v.null()),
  handler: async (ctx, { tokenHash }) => {
    const found = await pendingInvitation(ctx, tokenHash);
    if (!found) return null;
    const { email, provesAddress, projectId } = found;
    return { email, provesAddress, ...(projectId && { projectId }) };
  },
});

export const isInvited = serverQuery({
  args: { email: v.string() },
  returns: v.boolean(),
  handler: async (ctx, { email }) => (await pendingInvitationsFor(ctx, email)).length > 0,
});

/** Accepts the operator's invitations for a verified account. Invitations to projects have their own form. */
export const accept = internalMutation({
  args: { email: v.string(), userId: v.string() },
  returns: v.null(),
  handler: async (ctx, { email, userId }) => {
    const pending = (await pendingInvitationsFor(ctx, email)).filter(({ projectId }) => projectId === undefined);
    for (const { _id } of pending) await ctx.db.patch(_id, { acceptedAt: Date.now(), acceptedBy: userId });
    return null;
  },
});

export const list = serverQuery({
  args: {},
  returns: v.array(v.object({ email: v.string(), createdAt: v.number(), expiresAt: v.number() })),
  handler: async ({ db }) => {
    const rows = await db
      .query("invitations")
      .withIndex("by_project", (q) => q.eq("projectId", undefined).gt("expiresAt", Date.now()))
      .take(MAX_LISTED);
    return rows.filter(isPending).map(({ email, createdAt, expiresAt }) => ({ email, createdAt, expiresAt }));
  },
});

export const revoke = serverMutation({
  args: { email: v.string() },
  returns: v.number(),
  handler: async (ctx, { email }) => {
    const revoked = await revokeInvitations(ctx, email);
    if (revoked > 0) await recordAuditEvent(ctx, { action: "invitation.revoked" }, { actor: "operator" });
    return revoked;
  },
});
