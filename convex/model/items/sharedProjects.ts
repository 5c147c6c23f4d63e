import type { Doc } from "../../_generated/dataModel";
import type { CallerCtx } from "../access";
import { allows, type Right } from "../rights";

export async function sharedProjects(ctx: CallerCtx, right: Right, limit: number): Promise<Doc<"projects">[]> {
  const memberships = await ctx.db
    .query("projectMembers")
    .withIndex("by_user", (q) => q.eq("userId", ctx.user.id))
    .order("desc")
    .take(limit);
  const rightful = memberships.filter(({ role }) => allows(role, right));
  const projects = await Promise.all(rightful.map(({ projectId }) => ctx.db.get(projectId)));
  return projects.flatMap((project) => (project && project.removedAt === undefined ? [project] : []));
}
