import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { type Infer, v } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import { type CallerCtx, hasRight, projectFor, userMutation, type UserMutationCtx, userQuery } from "./model/access";
import { withUnreadMark } from "./model/comments/unread";
import { notFound } from "./model/errors";
import { favouritesIn } from "./model/favourites";
import { pageOf } from "./model/lists/paging";
import { memberOf, nameOf, userOf } from "./model/members";
import { memberRole } from "./model/memberRole";
import { endRequestsTo } from "./model/review/requests";
import { allows } from "./model/rights";
import { projectShape, toProject } from "./model/shapes";

const sharedProjectShape = v.object({ ...projectShape.fields, role: memberRole, owner: v.object({ name: v.string() }) });
export type SharedProject = Infer<typeof sharedProjectShape>;

/** Returns the projects of others in which the caller is a member, last added first. A page can have fewer than it asks for. */
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

/** Returns null for a project in the trash. */
async function sharedProject(
  ctx: CallerCtx,
  { projectId, role }: Doc<"projectMembers">,
  favourites: Map<string, number>,
): Promise<SharedProject | null> {
  const project = await ctx.db.get(projectId);
  if (!project || project.removedAt !== undefined) return null;
  const owner = await userOf(ctx, project.ownerId);
  return { ...(await withUnreadMark(ctx, toProject(project, favourites.has(projectId)))), role, owner: { name: nameOf(owner) } };
}

const personShape = v.object({
  name: v.string(),
  /** For the owner of the project only. */
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

/** Returns the members of a project without its owner, in the order of their addition. */
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

/** Throws "not_found" also for someone who is no member. */
export const setRole = userMutation({
  args: { ...member, role: memberRole },
  returns: v.null(),
  handler: async (ctx, { role, ...args }) => {
    const row = await managedMember(ctx, args);
    if (row.role !== role) await ctx.db.patch(row._id, { role });
    if (!allows(role, "review")) await endRequestsTo(ctx, row);
    return null;
  },
});

/** Ends a member's access. Throws like `setRole`. */
export const remove = userMutation({
  args: member,
  returns: v.null(),
  handler: async (ctx, args) => {
    await removeMember(ctx, await managedMember(ctx, args));
    return null;
  },
});

/** Ends the caller's own access. Owners cannot leave. */
export const leave = userMutation({
  args: { projectId: v.string() },
  returns: v.null(),
  handler: async (ctx, { projectId }) => {
    const project = await projectFor(ctx, projectId, "leave");
    const row = await memberOf(ctx, project._id, ctx.user.id);
    if (row) await removeMember(ctx, row);
    return null;
  },
});

async function removeMember(ctx: UserMutationCtx, row: Doc<"projectMembers">): Promise<void> {
  await ctx.db.delete(row._id);
  await endRequestsTo(ctx, row);
}

async function managedMember(
  ctx: UserMutationCtx,
  { projectId, userId }: { projectId: string; userId: string },
): Promise<Doc<"projectMembers">> {
  const project = await projectFor(ctx, projectId, "manageMembers");
  const row = await memberOf(ctx, project._id, userId);
  if (!row) throw notFound();
  return row;
}
