import { v } from "convex/values";
import { administratorMutation, administratorQuery } from "../model/access";
import { insertInvitation, isPending, revokeInvitations } from "../model/accounts/invitations";
import { recordAuditEvent } from "../model/audit/recordAuditEvent";
import { conflict } from "../model/errors";

const LISTED = 200;

export const list = administratorQuery({
  args: {},
  returns: v.array(v.object({ _id: v.id("invitations"), email: v.string(), createdAt: v.number(), expiresAt: v.number() })),
  handler: async ({ db }) => {
    const rows = await db
      .query("invitations")
      .withIndex("by_project", (q) => q.eq("projectId", undefined).gt("expiresAt", Date.now()))
      .take(LISTED);
    return rows.filter(isPending).map(({ _id, email, createdAt, expiresAt }) => ({ _id, email, createdAt, expiresAt }));
  },
});

/** Creates an invitation to sign up, and revokes earlier ones of the address. Throws "conflict" for the address of an account. */
export const create = administratorMutation({
  args: { email: v.string(), tokenHash: v.string() },
  returns: v.null(),
  handler: async (ctx, { email, tokenHash }) => {
    const user = await ctx.db
      .query("users")
      .withIndex("email", (q) => q.eq("email", email))
      .unique();
    if (user) throw conflict("An account with this address already exists.");
    await insertInvitation(ctx, { email, tokenHash, provesAddress: true });
    await recordAuditEvent(ctx, { action: "invitation.created" }, { actor: "administrator" });
    return null;
  },
});

export const revoke = administratorMutation({
  args: { email: v.string() },
  returns: v.number(),
  handler: async (ctx, { email }) => {
    const revoked = await revokeInvitations(ctx, email);
    if (revoked > 0) await recordAuditEvent(ctx, { action: "invitation.revoked" }, { actor: "administrator" });
    return revoked;
  },
});
