import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { type Infer, v } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import { type CallerCtx, userQuery } from "./model/access";
import { pageOf } from "./model/lists/paging";
import { memberRole } from "./model/rights";
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
    const page = await Promise.all(result.page.map((membership) => sharedProject(ctx, membership)));
    return { ...result, page: page.filter((project) => project !== null) };
  },
});

/** Returns null for a project in the trash. */
async function sharedProject({ db }: CallerCtx, { projectId, role }: Doc<"projectMembers">): Promise<SharedProject | null> {
  const project = await db.get(projectId);
  if (!project || project.removedAt !== undefined) return null;
  const owner = await db
    .query("users")
    .withIndex("id", (q) => q.eq("id", project.ownerId))
    .unique();
  return { ...toProject(project), favourite: false, role, owner: { name: owner?.name || owner?.email || "" } };
}
