import { type Infer, v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import type { MutationCtx, QueryCtx } from "./_generated/server";
import { type CallerCtx, projectFor, serverMutationFor, serverQuery, userMutation, userQuery } from "./model/access";
import { INVITATION_LIFE_MS, insertInvitation, isPending, pendingInvitation } from "./model/accounts/invitations";
import { recordAuditEvent } from "./model/audit/recordAuditEvent";
import { check } from "./model/check";
import { conflict, invalid, limit, notFound } from "./model/errors";
import { memberRole } from "./model/memberRole";
import { memberOf, nameOf, userOf } from "./model/members";
import { markInvitationsRead, notifyPerson } from "./model/notifications/notify";
import { inviteMember } from "./model/rules";

const HOUR = 60 * 60 * 1000;
/** Maximum invitations per hour by one inviter, and to one address. */
const SENT_MAX = 30;
const RECEIVED_MAX = 5;
const LISTED_MAX = 200;
/** How long owners can see who accepted a copied link (milliseconds). */
const ACCEPTED_SHOWN = 30 * 24 * HOUR;

const invited = v.object({
  email: v.string(),
  project: v.string(),
  inviter: v.object({ name: v.string(), email: v.string() }),
  account: v.optional(v.object({ userId: v.string(), isMailed: v.boolean() })),
});

/** Invites an address, and replaces its pending invitation. Throws "invalid" for members, and "limit" after too many invitations. */
export const invite = serverMutationFor({
  args: {
    projectId: v.string(),
    email: v.string(),
    role: memberRole,
    tokenHash: v.string(),
    /** Whether the token is only emailed. Otherwise the inviter receives a link, which any account can accept. */
    isMailed: v.boolean(),
  },
  returns: invited,
  handler: async (ctx, { projectId, role, tokenHash, isMailed, ...args }): Promise<Infer<typeof invited>> => {
    const project = await projectFor(ctx, projectId, "manageMembers");
    const { email } = check(inviteMember, args);
    if (email === ctx.user.email) throw invalid({ email: ["This is your own address."] });
    const user = await ctx.db
      .query("users")
      .withIndex("email", (q) => q.eq("email", email))
      .first();
    if (user && (await memberOf(ctx, project._id, user.id))) throw invalid({ email: ["This person is already a member."] });
    await expectBelowLimits(ctx, ctx.user.id, email);
    const invitation = { email, tokenHash, provesAddress: isMailed, projectId: project._id, role, invitedBy: ctx.user.id };
    const invitationId = await insertInvitation(ctx, invitation);
    const target = { kind: "project" as const, id: project._id };
    await recordAuditEvent(ctx, { action: "invitation.created", target, details: { role } }, { otherUserId: user?.id });
    const answer = { email, project: project.name, inviter: { name: ctx.user.name, email: ctx.user.email } };
    if (!user?.emailVerified || !isMailed) return answer;
    const isMailedNow = await notifyOfInvitation(ctx, user.id, project._id, invitationId);
    return { ...answer, account: { userId: user.id, isMailed: isMailedNow } };
  },
});

async function notifyOfInvitation(
  ctx: MutationCtx & Pick<CallerCtx, "user">,
  userId: string,
  projectId: Id<"projects">,
  invitationId: Id<"invitations">,
): Promise<boolean> {
  await markInvitationsRead(ctx, projectId, userId);
  const notice = { kind: "invitation" as const, actorId: ctx.user.id, invitationId };
  return (await notifyPerson(ctx, userId, projectId, notice, { projectId })) === "now";
}

async function expectBelowLimits({ db }: MutationCtx, inviterId: string, email: string): Promise<void> {
  const sent = await db
    .query("invitations")
    .withIndex("by_inviter", (q) => q.eq("invitedBy", inviterId).gt("_creationTime", Date.now() - HOUR))
    .take(SENT_MAX);
  const received = await db
    .query("invitations")
    .withIndex("by_email", (q) => q.eq("email", email).gt("expiresAt", Date.now() + INVITATION_LIFE_MS - HOUR))
    .take(LISTED_MAX);
  const toProjects = received.filter(({ projectId }) => projectId !== undefined);
  if (sent.length >= SENT_MAX || toProjects.length >= RECEIVED_MAX) throw limit("Too many invitations. Try again in an hour.");
}

const invitationShape = v.object({
  _id: v.id("invitations"),
  email: v.string(),
  role: memberRole,
  createdAt: v.number(),
  expiresAt: v.number(),
  acceptedBy: v.optional(v.object({ name: v.string(), email: v.optional(v.string()) })),
});

/** Returns the pending invitations to a project, and the copied links that were accepted in the last 30 days. */
export const list = userQuery({
  args: { projectId: v.string() },
  returns: v.array(invitationShape),
  handler: async (ctx, { projectId }) => {
    const project = await projectFor(ctx, projectId, "manageMembers");
    const rows = await ctx.db
      .query("invitations")
      .withIndex("by_project", (q) => q.eq("projectId", project._id).gt("expiresAt", Date.now() - ACCEPTED_SHOWN))
      .order("desc")
      .take(LISTED_MAX);
    const shown = rows.filter((row) => isPending(row) || (row.acceptedBy !== undefined && !row.provesAddress));
    return Promise.all(shown.map((row) => toInvitation(ctx, row)));
  },
});

async function toInvitation(
  ctx: QueryCtx,
  { _id, email, role = "viewer", createdAt, expiresAt, acceptedBy }: Doc<"invitations">,
): Promise<Infer<typeof invitationShape>> {
  const user = acceptedBy === undefined ? null : await userOf(ctx, acceptedBy);
  const accepted = acceptedBy !== undefined && { acceptedBy: { name: nameOf(user), ...(user && { email: user.email }) } };
  return { _id, email, role, createdAt, expiresAt, ...accepted };
}

/** Throws "not_found" also for an invitation that is no longer pending. */
export const revoke = userMutation({
  args: { projectId: v.string(), invitationId: v.string() },
  returns: v.null(),
  handler: async (ctx, args) => {
    const project = await projectFor(ctx, args.projectId, "manageMembers");
    const id = ctx.db.normalizeId("invitations", args.invitationId);
    const row = id && (await ctx.db.get(id));
    if (row?.projectId !== project._id || !isPending(row)) throw notFound();
    await ctx.db.patch(row._id, { revokedAt: Date.now() });
    await recordAuditEvent(ctx, { action: "invitation.revoked", target: { kind: "project", id: project._id } });
    return null;
  },
});

const found = v.object({ email: v.string(), isForAddress: v.boolean(), role: memberRole, project: v.string(), owner: v.string() });

/** Returns the invitation for a visitor, signed in or not. Null for a token that is unknown, expired, revoked or accepted. */
export const find = serverQuery({
  args: { tokenHash: v.string() },
  returns: v.union(found, v.null()),
  handler: async (ctx, { tokenHash }) => {
    const pending = await invitationWithProject(ctx, tokenHash);
    return pending && toFound(ctx, pending);
  },
});

async function toFound(ctx: QueryCtx, { invitation, project }: Pending): Promise<Infer<typeof found>> {
  const { email, provesAddress, role = "viewer" } = invitation;
  return { email, isForAddress: provesAddress, role, project: project.name, owner: nameOf(await userOf(ctx, project.ownerId)) };
}

/** Returns a pending invitation to the caller's verified address, or null. */
export const findOwn = userQuery({
  args: { invitationId: v.string() },
  returns: v.union(found, v.null()),
  handler: async (ctx, { invitationId }) => {
    const own = await ownInvitation(ctx, invitationId);
    return own && toFound(ctx, own);
  },
});

/** Adds the user to the project. Throws "not_found" where `find` or `findOwn` returns null, "conflict" for another account. */
export const accept = serverMutationFor({
  args: { tokenHash: v.optional(v.string()), invitationId: v.optional(v.string()) },
  returns: v.object({ projectId: v.id("projects"), project: v.string() }),
  handler: async (ctx, { tokenHash, invitationId }) => {
    const found = tokenHash === undefined ? await ownInvitation(ctx, invitationId ?? "") : await invitationWithProject(ctx, tokenHash);
    if (!found) throw notFound();
    const { invitation, project } = found;
    const { user } = ctx;
    if (invitation.provesAddress && user.email !== invitation.email) throw conflict("This invitation is for another email address.");
    if (invitation.provesAddress && !user.emailVerified) throw conflict("Verify your email address first, then open the invitation again.");
    if (project.ownerId === user.id) throw conflict("This is your own project.");
    // Throws before the invitation is accepted, so that a copied link stays valid for its recipient.
    if (await memberOf(ctx, project._id, user.id)) throw conflict("You are already a member of this project.");
    const role = invitation.role ?? "viewer";
    await ctx.db.insert("projectMembers", { projectId: project._id, userId: user.id, role, addedAt: Date.now(), addedBy: project.ownerId });
    await ctx.db.patch(invitation._id, { acceptedAt: Date.now(), acceptedBy: user.id });
    await markInvitationsRead(ctx, project._id, user.id);
    const target = { kind: "project" as const, id: project._id };
    await recordAuditEvent(ctx, { action: "invitation.accepted", target, details: { role } }, { otherUserId: project.ownerId });
    return { projectId: project._id, project: project.name };
  },
});

type Pending = { invitation: Doc<"invitations">; project: Doc<"projects"> };

const invitationWithProject = async (ctx: QueryCtx, tokenHash: string): Promise<Pending | null> =>
  withOpenProject(ctx, await pendingInvitation(ctx, tokenHash));

async function ownInvitation(ctx: CallerCtx, id: string): Promise<Pending | null> {
  const invitationId = ctx.db.normalizeId("invitations", id);
  const invitation = invitationId && (await ctx.db.get(invitationId));
  const isOwn = invitation?.provesAddress === true && ctx.user.emailVerified && invitation.email === ctx.user.email;
  return isOwn && isPending(invitation) ? withOpenProject(ctx, invitation) : null;
}

async function withOpenProject(ctx: QueryCtx, invitation: Doc<"invitations"> | null): Promise<Pending | null> {
  const project = invitation?.projectId && (await ctx.db.get(invitation.projectId));
  const isOpen = project && project.removedAt === undefined && project.ownerId === invitation.invitedBy;
  return isOpen ? { invitation, project } : null;
}
