import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import { internal } from "./_generated/api";
import type { QueryCtx } from "./_generated/server";
import { recordActivity } from "./activity";
import { projectFor, userMutation, userQuery } from "./access";
import { check } from "./check";
import { lastKey, projectsOf, sortNameOf } from "./order";
import { LIST_LIMIT, pageOf } from "./paging";
import { createProject, renameProject } from "./rules";
import { projectShape, toProject } from "./shapes";
import { changeUsage } from "./usage";

/** The caller's projects, the one that changed last first; at most `LIST_LIMIT` of them. */
export const getProjects = userQuery({
  args: {},
  returns: v.array(projectShape),
  handler: async (ctx) => (await ownProjects(ctx, ctx.user.id).take(LIST_LIMIT)).map(toProject),
});

/** The caller's projects in the same order, page by page. */
export const listProjects = userQuery({
  args: { paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(projectShape),
  handler: async (ctx, { paginationOpts }) => {
    const result = await ownProjects(ctx, ctx.user.id).paginate(pageOf(paginationOpts));
    return { ...result, page: result.page.map(toProject) };
  },
});

/** One project; throws "not_found". */
export const getProjectById = userQuery({
  args: { id: v.string() },
  returns: projectShape,
  handler: async (ctx, { id }) => toProject(await projectFor(ctx, id, "view")),
});

/** Makes an empty project and answers its id; throws "invalid" for its name. */
export const create = userMutation({
  args: { name: v.string() },
  returns: v.id("projects"),
  handler: async (ctx, args) => {
    const { name } = check(createProject, args);
    const ownerId = ctx.user.id;
    const id = await ctx.db.insert("projects", {
      ownerId,
      name,
      sortName: sortNameOf(name),
      orderKey: await lastKey(projectsOf(ctx, ownerId)),
      updatedAt: Date.now(),
      designCount: 0,
      imageCount: 0,
      cover: [],
    });
    await changeUsage(ctx, ownerId, { projects: 1 });
    await recordActivity(ctx, { kind: "created", project: { _id: id, ownerId, name } });
    return id;
  },
});

/** Throws "not_found", or "invalid" for the name. */
export const rename = userMutation({
  args: { id: v.string(), name: v.string() },
  returns: v.null(),
  handler: async (ctx, args) => {
    const project = await projectFor(ctx, args.id, "edit");
    const { name } = check(renameProject, args);
    await ctx.db.patch(project._id, { name, sortName: sortNameOf(name), updatedAt: Date.now() });
    await recordActivity(ctx, { kind: "renamed", project, from: project.name, to: name });
    return null;
  },
});

/** Hides the project and all that is in it at once; rows and files are deleted afterwards, in batches. Throws "not_found". */
export const remove = userMutation({
  args: { id: v.string() },
  returns: v.null(),
  handler: async (ctx, { id }) => {
    const project = await projectFor(ctx, id, "edit");
    await ctx.db.patch(project._id, { removedAt: Date.now() });
    await changeUsage(ctx, project.ownerId, { projects: -1, designs: -project.designCount, images: -project.imageCount });
    await recordActivity(ctx, { kind: "trashed", project });
    await ctx.scheduler.runAfter(0, internal.purge.project, { id: project._id });
    return null;
  },
});

function ownProjects(ctx: QueryCtx, ownerId: string) {
  return ctx.db
    .query("projects")
    .withIndex("by_owner", (q) => q.eq("ownerId", ownerId).eq("removedAt", undefined))
    .order("desc");
}
