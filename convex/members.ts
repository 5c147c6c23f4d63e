import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { type Infer, v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import { type CallerCtx, hasRight, projectFor, userMutation, type UserMutationCtx, userQuery } from "./model/access";
import { recordAuditEvent } from "./model/audit/recordAuditEvent";
import { withUnreadMark } from "./model/comments/unread";
import { notFound } from "./model/errors";
import { favouritesIn } from "./model/items/favourites";
import { sortNameOf } from "./model/lists/order";
import { pageOf } from "./model/lists/paging";
import { memberOf, nameOf, userOf } from "./model/members";
import type { ProjectNotice } from "./model/accounts/noticeTables";
import { memberRole } from "./model/memberRole";
import { notifyPerson } from "./model/notifications/notify";
import { unmute } from "./model/notifications/settings";
import { deletePresence } from "./model/presence/presence";
import { endRequestsTo } from "./model/review/requests";
import { allows } from "./model/rights";
import { projectShape, toProject } from "./model/shapes";
import { endTransferTo } from "./model/transfers/transfers";

const ON_CARD = 4;
const firstMembers = v.array(v.object({ name: v.string() }));

const sharedProjectShape = v.object({
  ...projectShape.fields,
  role: memberRole,
  owner: v.object({ name: v.string() }),
  members: firstMembers,
});
export type SharedProject = Infer<typeof sharedProjectShape>;

/** Returns the projects of others in which the caller is a member, last added first. A page can have fewer than requested. */
export const listSharedProjects = userQuery({
  args: { paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(sharedProjectShape),
  handler: async (ctx, { paginationOpts }) => {
    const result = await ctx.db
      .query("projectMembers")
      .withIndex("by_user", (q) => q.eq("userId", ctx.user.id))
      .order("desc")
      .paginate(pageOf(paginationOpts));
    const favourites = await favouritesIn(ctx, undefined);
    const page = await Promise.all(result.page.map((membership) => sharedProject(ctx, membership, favourites)));
    return { ...result, page: page.filter((project) => project !== null) };
  },
});

async function sharedProject(
  ctx: CallerCtx,
  { projectId, role }: Doc<"projectMembers">,
  favourites: Map<string, number>,
): Promise<SharedProject | null> {
  const project = await ctx.db.get(projectId);
  if (!project || project.removedAt !== undefined) return null;
  const owner = await userOf(ctx, project.ownerId);
  const members = await firstMembersOf(ctx, projectId);
  const shown = await withUnreadMark(ctx, toProject(project, favourites.has(projectId)));
  return { ...shown, role, owner: { name: nameOf(owner) }, members };
}

async function firstMembersOf(ctx: CallerCtx, projectId: Id<"projects">): Promise<Infer<typeof firstMembers>> {
  const rows = await ctx.db
    .query("projectMembers")
    .withIndex("by_addition", (q) => q.eq("projectId", projectId))
    .take(ON_CARD);
  return Promise.all(rows.map(async ({ userId }) => ({ name: nameOf(await userOf(ctx, userId)) })));
}

export const listOwnShared = userQuery({
  args: {},
  returns: v.array(v.object({ projectId: v.id("projects"), project: v.string(), members: firstMembers })),
  handler: async (ctx) => {
    const own = await ctx.db
      .query("projects")
      .withIndex("by_owner", (q) => q.eq("ownerId", ctx.user.id).eq("removedAt", undefined))
      .order("desc")
      .take(OWN_MAX);
    const shown = own.map(async ({ _id: projectId, name: project }) => ({
      projectId,
      project,
      members: await firstMembersOf(ctx, projectId),
    }));
    return (await Promise.all(shown)).filter(({ members }) => members.length > 0);
  },
});

const OWN_MAX = 500;

export const listEditable = userQuery({
  args: {},
  returns: v.array(v.object({ _id: v.id("projects"), name: v.string(), designCount: v.number(), owner: v.string() })),
  handler: async (ctx) => {
    const memberships = await ctx.db
      .query("projectMembers")
      .withIndex("by_user", (q) => q.eq("userId", ctx.user.id))
      .order("desc")
      .take(EDITABLE_MAX);
    const shown = memberships.map(async ({ projectId, role }) => {
      const project = allows(role, "edit") ? await ctx.db.get(projectId) : null;
      if (!project || project.removedAt !== undefined) return null;
      const { _id, name, designCount, ownerId } = project;
      return { _id, name, designCount, owner: nameOf(await userOf(ctx, ownerId)) };
    });
    const projects = (await Promise.all(shown)).filter((project) => project !== null);
    return projects.toSorted((a, b) => (sortNameOf(a.name) < sortNameOf(b.name) ? -1 : 1));
  },
});

const EDITABLE_MAX = 200;

const personShape = v.object({
  name: v.string(),
  email: v.optional(v.string()),
  isMe: v.boolean(),
});
const memberShape = v.object({ ...personShape.fields, userId: v.string(), role: memberRole, addedAt: v.number() });
export type Member = Infer<typeof memberShape>;

export const getOwner = userQuery({
  args: { projectId: v.string() },
  returns: v.object({ ...personShape.fields, mayManage: v.boolean() }),
  handler: async (ctx, { projectId }) => {
    const project = await projectFor(ctx, projectId, "view");
    const owner = await userOf(ctx, project.ownerId);
    const mayManage = await hasRight(ctx, project, "manageMembers");
    return { name: nameOf(owner), isMe: project.ownerId === ctx.user.id, mayManage };
  },
});

export const list = userQuery({
  args: { projectId: v.string(), paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(memberShape),
  handler: async (ctx, { projectId, paginationOpts }) => {
    const project = await projectFor(ctx, projectId, "view");
    const mayManage = await hasRight(ctx, project, "manageMembers");
    const result = await ctx.db
      .query("projectMembers")
      .withIndex("by_addition", (q) => q.eq("projectId", project._id))
      .paginate(pageOf(paginationOpts));
    const toMember = async ({ userId, role, addedAt }: Doc<"projectMembers">): Promise<Member> => {
      const user = await userOf(ctx, userId);
      const email = mayManage && user ? { email: user.email } : {};
      return { userId, role, addedAt, name: nameOf(user), isMe: userId === ctx.user.id, ...email };
    };
    return { ...result, page: await Promise.all(result.page.map(toMember)) };
  },
});

const member = { projectId: v.string(), userId: v.string() };

export const setRole = userMutation({
  args: { ...member, role: memberRole },
  returns: v.null(),
  handler: async (ctx, { role, ...args }) => {
    const { row } = await managedMember(ctx, args);
    if (row.role !== role) {
      await ctx.db.patch(row._id, { role });
      await notifyOfAccess(ctx, row, { change: "role", role });
      await recordAuditEvent(ctx, { action: "member.roleChanged", target: projectOf(row), details: { role } }, { otherUserId: row.userId });
    }
    if (!allows(role, "review")) await endRequestsTo(ctx, row);
    return null;
  },
});

export const remove = userMutation({
  args: member,
  returns: v.null(),
  handler: async (ctx, args) => {
    const { row, project } = await managedMember(ctx, args);
    await notifyOfAccess(ctx, row, { change: "removed", name: project.name });
    await removeMember(ctx, row);
    await recordAuditEvent(ctx, { action: "member.removed", target: projectOf(row) }, { otherUserId: row.userId });
    return null;
  },
});

export const leave = userMutation({
  args: { projectId: v.string() },
  returns: v.null(),
  handler: async (ctx, { projectId }) => {
    const project = await projectFor(ctx, projectId, "leave");
    const row = await memberOf(ctx, project._id, ctx.user.id);
    if (!row) return null;
    await removeMember(ctx, row);
    await recordAuditEvent(ctx, { action: "member.left", target: projectOf(row) });
    return null;
  },
});

const projectOf = ({ projectId }: Doc<"projectMembers">) => ({ kind: "project" as const, id: projectId });

const notifyOfAccess = (
  ctx: UserMutationCtx,
  { projectId, userId }: Doc<"projectMembers">,
  change: Pick<Extract<ProjectNotice, { kind: "accessChanged" }>, "change" | "role" | "name">,
): Promise<unknown> =>
  notifyPerson(ctx, userId, projectId, { kind: "accessChanged", actorId: ctx.user.id, projectId, ...change }, { projectId });

async function removeMember(ctx: UserMutationCtx, row: Doc<"projectMembers">): Promise<void> {
  await ctx.db.delete(row._id);
  await endRequestsTo(ctx, row);
  await endTransferTo(ctx, row.projectId, row.userId);
  await unmute(ctx, row.projectId, row.userId);
  await deletePresence(ctx, row.userId, row.projectId);
}

async function managedMember(
  ctx: UserMutationCtx,
  { projectId, userId }: { projectId: string; userId: string },
): Promise<{ row: Doc<"projectMembers">; project: Doc<"projects"> }> {
  const project = await projectFor(ctx, projectId, "manageMembers");
  const row = await memberOf(ctx, project._id, userId);
  if (!row) throw notFound();
  return { row, project };
}
