import type { Doc, Id } from "../../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../../_generated/server";

export const INVITATION_LIFE_MS = 7 * 24 * 60 * 60 * 1000;
const PENDING_MAX = 500;

type NewInvitation = Pick<Doc<"invitations">, "email" | "tokenHash" | "provesAddress" | "projectId" | "role" | "invitedBy">;

export const isPending = ({ expiresAt, acceptedAt, revokedAt }: Doc<"invitations">): boolean =>
  acceptedAt === undefined && revokedAt === undefined && expiresAt > Date.now();

export async function pendingInvitation({ db }: QueryCtx, tokenHash: string): Promise<Doc<"invitations"> | null> {
  const row = await db
    .query("invitations")
    .withIndex("by_token", (q) => q.eq("tokenHash", tokenHash))
    .unique();
  return row && isPending(row) ? row : null;
}

export async function pendingInvitationsFor({ db }: QueryCtx, email: string): Promise<Doc<"invitations">[]> {
  const rows = await db
    .query("invitations")
    .withIndex("by_email", (q) => q.eq("email", email).gt("expiresAt", Date.now()))
    .take(PENDING_MAX);
  return rows.filter(isPending);
}

export async function insertInvitation(ctx: MutationCtx, invitation: NewInvitation): Promise<Id<"invitations">> {
  await revokeInvitations(ctx, invitation.email, invitation.projectId);
  const createdAt = Date.now();
  return ctx.db.insert("invitations", { ...invitation, createdAt, expiresAt: createdAt + INVITATION_LIFE_MS });
}

/** Returns the number of revoked invitations. Without a project: those of the operator. */
export async function revokeInvitations(ctx: MutationCtx, email: string, projectId?: Id<"projects">): Promise<number> {
  const pending = (await pendingInvitationsFor(ctx, email)).filter((row) => row.projectId === projectId);
  for (const { _id } of pending) await ctx.db.patch(_id, { revokedAt: Date.now() });
  return pending.length;
}
