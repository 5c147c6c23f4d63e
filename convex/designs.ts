import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import { internal } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import type { QueryCtx } from "./_generated/server";
import { recordActivity } from "./activity";
import { designFor, projectFor, userMutation, userQuery } from "./access";
import { check } from "./check";
import { designsOf as designsInOrder, lastKey, sortNameOf } from "./order";
import { LIST_LIMIT, pageOf } from "./paging";
import { createDesign, renameDesign } from "./rules";
import { designShape, toDesign } from "./shapes";
import { designsChanged, touch } from "./summaries";

/** A project's designs, the one that changed last first; at most `LIST_LIMIT` of them. Throws "not_found". */
export const getDesignsByProjectId = userQuery({
  args: { projectId: v.string() },
  returns: v.array(designShape),
  handler: async (ctx, { projectId }) => {
    const project = await projectFor(ctx, projectId, "view");
    return (await designsOf(ctx, project._id).take(LIST_LIMIT)).map(toDesign);
  },
});

/** A project's designs in the same order, page by page. Throws "not_found". */
export const listDesigns = userQuery({
  args: { projectId: v.string(), paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(designShape),
  handler: async (ctx, { projectId, paginationOpts }) => {
    const project = await projectFor(ctx, projectId, "view");
    const result = await designsOf(ctx, project._id).paginate(pageOf(paginationOpts));
    return { ...result, page: result.page.map(toDesign) };
  },
});

/** One design; throws "not_found". */
export const getDesignById = userQuery({
  args: { id: v.string() },
  returns: designShape,
  handler: async (ctx, { id }) => toDesign((await designFor(ctx, id, "view")).design),
});

/** Makes an empty design in a project and answers its id; throws "not_found" for the project, "invalid" for its name. */
export const create = userMutation({
  args: { projectId: v.string(), name: v.string() },
  returns: v.id("designs"),
  handler: async (ctx, args) => {
    const project = await projectFor(ctx, args.projectId, "edit");
    const { name } = check(createDesign, args);
    const id = await ctx.db.insert("designs", {
      ownerId: project.ownerId,
      projectId: project._id,
      name,
      sortName: sortNameOf(name),
      orderKey: await lastKey(designsInOrder(ctx, project._id)),
      updatedAt: Date.now(),
      imageCount: 0,
      cover: [],
      latestImageAt: 0,
    });
    await designsChanged(ctx, project, { designs: 1 });
    await recordActivity(ctx, { kind: "created", project, design: { _id: id, name } });
    return id;
  },
});

/** Throws "not_found", or "invalid" for the name. */
export const rename = userMutation({
  args: { id: v.string(), name: v.string() },
  returns: v.null(),
  handler: async (ctx, args) => {
    const place = await designFor(ctx, args.id, "edit");
    const { name } = check(renameDesign, args);
    await ctx.db.patch(place.design._id, { name, sortName: sortNameOf(name) });
    await touch(ctx, place);
    await recordActivity(ctx, { kind: "renamed", ...place, from: place.design.name, to: name });
    return null;
  },
});

/** Hides the design and its images at once; rows and files are deleted afterwards, in batches. Throws "not_found". */
export const remove = userMutation({
  args: { id: v.string() },
  returns: v.null(),
  handler: async (ctx, { id }) => {
    const { design, project } = await designFor(ctx, id, "edit");
    await ctx.db.patch(design._id, { removedAt: Date.now() });
    await designsChanged(ctx, project, { designs: -1, images: -design.imageCount });
    await recordActivity(ctx, { kind: "trashed", project, design });
    await ctx.scheduler.runAfter(0, internal.purge.design, { id: design._id });
    return null;
  },
});

function designsOf(ctx: QueryCtx, projectId: Id<"projects">) {
  return ctx.db
    .query("designs")
    .withIndex("by_project", (q) => q.eq("projectId", projectId).eq("removedAt", undefined))
    .order("desc");
}
