import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import type { QueryCtx } from "./_generated/server";
import { recordActivity } from "./activity";
import { imageFor, projectFor, userMutation, userQuery } from "./access";
import { check } from "./check";
import { copyProject } from "./copies";
import { notFound } from "./errors";
import { lastKey, place, projectsOf, sortNameOf } from "./order";
import { LIST_LIMIT, pageOf } from "./paging";
import { createProject, describe, renameProject } from "./rules";
import { projectShape, toProject } from "./shapes";
import { FAVOURITES_MAX, type ListSort, sortArg, sorted, tooManyFavourites } from "./sorting";
import { toCover } from "./summaries";
import { placeArgs, targetOf } from "./targets";
import { trashProject } from "./trashing";
import { changeUsage } from "./usage";
import { searchWords } from "./words";

/** The caller's projects, favourites first, of these and of the others the one that changed last first; at most `LIST_LIMIT` of them. */
export const getProjects = userQuery({
  args: { sort: sortArg },
  returns: v.array(projectShape),
  handler: async (ctx, { sort = "changed" }) => {
    const favourites = await favouritesOf(ctx, ctx.user.id, sort);
    const others = await othersOf(ctx, ctx.user.id, sort).take(LIST_LIMIT - favourites.length);
    return [...favourites, ...others].map(toProject);
  },
});

/** The caller's projects in the same order, page by page. */
export const listProjects = userQuery({
  args: { sort: sortArg, paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(projectShape),
  handler: async (ctx, { sort = "changed", paginationOpts }) => {
    const favourites = paginationOpts.cursor === null ? await favouritesOf(ctx, ctx.user.id, sort) : [];
    const result = await othersOf(ctx, ctx.user.id, sort).paginate(pageOf(paginationOpts, favourites.length));
    return { ...result, page: [...favourites, ...result.page].map(toProject) };
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
      words: searchWords({ name }),
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
    await ctx.db.patch(project._id, { name, sortName: sortNameOf(name), words: searchWords({ ...project, name }), updatedAt: Date.now() });
    await recordActivity(ctx, { kind: "renamed", project, from: project.name, to: name });
    return null;
  },
});

/** Sets what is told about a project; "" for nothing. Throws "not_found", or "invalid" for the text. */
export const setDescription = userMutation({
  args: { id: v.string(), description: v.string() },
  returns: v.null(),
  handler: async (ctx, args) => {
    const project = await projectFor(ctx, args.id, "edit");
    const { description } = check(describe, args);
    await ctx.db.patch(project._id, {
      description: description || undefined,
      words: searchWords({ ...project, description }),
      updatedAt: Date.now(),
    });
    await recordActivity(ctx, { kind: "described", project });
    return null;
  },
});

/** Makes a project one of the caller's favourites, or no longer. Throws "not_found", or "limit" beyond `FAVOURITES_MAX`. */
export const setFavourite = userMutation({
  args: { id: v.string(), favourite: v.boolean() },
  returns: v.null(),
  handler: async (ctx, { id, favourite }) => {
    const project = await projectFor(ctx, id, "edit");
    if (favourite === (project.favouriteAt !== undefined)) return null;
    if (favourite && (await favouritesOf(ctx, ctx.user.id, "changed")).length >= FAVOURITES_MAX) throw tooManyFavourites();
    await ctx.db.patch(project._id, { favouriteAt: favourite ? Date.now() : undefined });
    return null;
  },
});

/** Chooses one of a project's images as its cover; without one the cover is made from the latest again. Throws "not_found". */
export const setCover = userMutation({
  args: { id: v.string(), imageId: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, { id, imageId }) => {
    const project = await projectFor(ctx, id, "edit");
    const chosen = imageId === undefined ? null : await imageFor(ctx, imageId, "view");
    if (chosen && chosen.project._id !== project._id) throw notFound();
    await ctx.db.patch(project._id, { coverImageId: chosen?.image._id, chosenCover: chosen ? toCover(chosen.image) : undefined });
    await recordActivity(ctx, { kind: "covered", project, ...(chosen && { to: chosen.image.name }) });
    return null;
  },
});

/** Puts a project elsewhere in the order made by hand. Throws "not_found". */
export const reorder = userMutation({
  args: placeArgs,
  returns: v.null(),
  handler: async (ctx, args) => {
    const project = await projectFor(ctx, args.id, "edit");
    const target = await targetOf(args, (beside) => projectFor(ctx, beside, "view"));
    await place(ctx, projectsOf(ctx, project.ownerId), project, target);
    return null;
  },
});

/** Makes a copy of a project with all its designs and images, and answers its id; a large one fills while it is looked at. Throws "not_found". */
export const duplicate = userMutation({
  args: { id: v.string() },
  returns: v.id("projects"),
  handler: async (ctx, { id }) => copyProject(ctx, await projectFor(ctx, id, "edit")),
});

/** Puts a project in the trash, which hides all that is in it at once. Throws "not_found". */
export const moveToTrash = userMutation({
  args: { id: v.string() },
  returns: v.null(),
  handler: async (ctx, { id }) => trashProject(ctx, await projectFor(ctx, id, "edit")),
});

/** `moveToTrash` by the name under which open pages of an earlier build know it. */
export const remove = userMutation({
  args: { id: v.string() },
  returns: v.null(),
  handler: async (ctx, { id }) => trashProject(ctx, await projectFor(ctx, id, "edit")),
});

async function favouritesOf(ctx: QueryCtx, ownerId: string, sort: ListSort): Promise<Doc<"projects">[]> {
  if (sort === "manual") return [];
  const favourites = await ctx.db
    .query("projects")
    .withIndex("by_age", (q) => q.eq("ownerId", ownerId).eq("removedAt", undefined).gt("favouriteAt", 0))
    .take(FAVOURITES_MAX);
  return sorted(favourites, sort);
}

/** All but the favourites; in the order made by hand, all. */
function othersOf(ctx: QueryCtx, ownerId: string, sort: ListSort) {
  const projects = ctx.db.query("projects");
  switch (sort) {
    case "manual":
      return projects.withIndex("by_order", (q) => q.eq("ownerId", ownerId).eq("removedAt", undefined));
    case "name":
      return projects.withIndex("by_sort_name", (q) => q.eq("ownerId", ownerId).eq("removedAt", undefined).eq("favouriteAt", undefined));
    case "created":
      return projects
        .withIndex("by_age", (q) => q.eq("ownerId", ownerId).eq("removedAt", undefined).eq("favouriteAt", undefined))
        .order("desc");
    case "changed":
      return projects
        .withIndex("by_change", (q) => q.eq("ownerId", ownerId).eq("removedAt", undefined).eq("favouriteAt", undefined))
        .order("desc");
  }
}
