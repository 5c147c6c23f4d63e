import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import type { QueryCtx } from "./_generated/server";
import { projectFor, undoableMutation, userMutation, userQuery } from "./model/access";
import { check } from "./model/check";
import { copyProject } from "./jobs/copies";
import { insertDesign, insertProject } from "./model/creation";
import { coverItem, describeItem, favouriteItem, projectPathFor, renameItem, reorderItem, trashItem } from "./model/itemMutations";
import { LIST_LIMIT, pageOf } from "./model/lists/paging";
import { createProject, renameProject } from "./model/rules";
import { projectShape, toProject } from "./model/shapes";
import { FAVOURITES_MAX, type ListSort, sortArg, sorted } from "./model/lists/sorting";
import { trashProject } from "./model/trashing";

export const getProjects = userQuery({
  args: { sort: sortArg, favourites: v.optional(v.literal(true)) },
  returns: v.array(projectShape),
  handler: async (ctx, { sort = "changed", favourites: only }) => {
    if (only) return sorted(await favouritesOf(ctx, ctx.user.id), sort).map(toProject);
    const favourites = sort === "manual" ? [] : sorted(await favouritesOf(ctx, ctx.user.id), sort);
    const notFavourites = await othersOf(ctx, ctx.user.id, sort).take(LIST_LIMIT - favourites.length);
    return [...favourites, ...notFavourites].map(toProject);
  },
});

export const listProjects = userQuery({
  args: { sort: sortArg, paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(projectShape),
  handler: async (ctx, { sort = "changed", paginationOpts }) => {
    const isFirst = paginationOpts.cursor === null && sort !== "manual";
    const favourites = isFirst ? sorted(await favouritesOf(ctx, ctx.user.id), sort) : [];
    const result = await othersOf(ctx, ctx.user.id, sort).paginate(pageOf(paginationOpts, favourites.length));
    return { ...result, page: [...favourites, ...result.page].map(toProject) };
  },
});

export const getProjectById = userQuery({
  args: { id: v.string() },
  returns: projectShape,
  handler: async (ctx, { id }) => {
    const project = await projectFor(ctx, id, "view");
    // The star is the owner's.
    return project.ownerId === ctx.user.id ? toProject(project) : { ...toProject(project), favourite: false };
  },
});

export const create = userMutation({
  args: { name: v.string() },
  returns: v.id("projects"),
  handler: (ctx, args) => insertProject(ctx, check(createProject, args).name),
});

/** Creates a project with one design of the same name, for images that are added before they have a design. */
export const createWithDesign = userMutation({
  args: { name: v.string() },
  returns: v.object({ projectId: v.id("projects"), designId: v.id("designs") }),
  handler: async (ctx, args) => {
    const { name } = check(createProject, args);
    const projectId = await insertProject(ctx, name);
    return { projectId, designId: await insertDesign(ctx, await projectFor(ctx, projectId, "edit"), name) };
  },
});

export const rename = renameItem(projectPathFor, renameProject);

export const setDescription = describeItem(projectPathFor);

export const setFavourite = favouriteItem(projectPathFor, (ctx) => favouritesOf(ctx, ctx.user.id));

export const setCover = coverItem(projectPathFor);

export const reorder = reorderItem(projectPathFor, "arrange");

export const duplicate = undoableMutation({
  args: { id: v.string() },
  returns: v.id("projects"),
  handler: async (ctx, { id }) => copyProject(ctx, await projectFor(ctx, id, "download")),
});

export const moveToTrash = trashItem(projectFor, trashProject, "deleteProject");

/** Alias of `moveToTrash` for open pages of an earlier build. */
export const remove = trashItem(projectFor, trashProject, "deleteProject");

function favouritesOf(ctx: QueryCtx, ownerId: string): Promise<Doc<"projects">[]> {
  return ctx.db
    .query("projects")
    .withIndex("by_age", (q) => q.eq("ownerId", ownerId).eq("removedAt", undefined).gt("favouriteAt", 0))
    .take(FAVOURITES_MAX);
}

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
