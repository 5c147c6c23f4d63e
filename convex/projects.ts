import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import type { QueryCtx } from "./_generated/server";
import { type CallerCtx, ownRoleIn, projectFor, readerQuery, undoableMutation, userMutation, userQuery } from "./model/access";
import { check } from "./model/check";
import { withUnread, withUnreadMark } from "./model/comments/unread";
import { copyProject } from "./jobs/copies";
import { insertDesign, insertProject } from "./model/items/creation";
import { favouriteAtOf, projectsWithFavourites } from "./model/items/favourites";
import { coverItem, describeItem, favouriteItem, projectPathFor, renameItem, reorderItem, trashItem } from "./model/items/itemMutations";
import { firstRows, pageOfRows } from "./model/lists/favouritesFirst";
import { createProject, renameProject } from "./model/rules";
import { projectPageShape, projectShape, toProject, commentsFor } from "./model/shapes";
import { type ListSort, sortArg } from "./model/lists/sorting";
import { trashProject } from "./model/items/trashing";

export const getProjects = userQuery({
  args: { sort: sortArg, favourites: v.optional(v.literal(true)) },
  returns: v.array(projectShape),
  handler: async (ctx, { sort = "changed", favourites: only }) => withUnread(ctx, await firstRows(ctx, listOf(ctx, sort), only)),
});

export const listProjects = userQuery({
  args: { sort: sortArg, paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(projectShape),
  handler: async (ctx, { sort = "changed", paginationOpts }) => {
    const result = await pageOfRows(ctx, listOf(ctx, sort), paginationOpts);
    return { ...result, page: await withUnread(ctx, result.page) };
  },
});

export const getProjectById = readerQuery({
  args: { id: v.string() },
  returns: projectPageShape,
  handler: async (ctx, { id }) => {
    const project = await projectFor(ctx, id, "view");
    const isFavourite = (await favouriteAtOf(ctx, { project })) !== undefined;
    const shown = toProject(project, isFavourite);
    const counts = project.reviews && !ctx.link ? { reviews: project.reviews } : {};
    const marked = ctx.link ? commentsFor(ctx.link, shown) : await withUnreadMark(ctx, shown);
    return { ...marked, ...(await ownRoleIn(ctx, project)), ...counts };
  },
});

export const create = userMutation({
  args: { name: v.string() },
  returns: v.id("projects"),
  handler: (ctx, args) => insertProject(ctx, check(createProject, args).name),
});

export const getNames = userQuery({
  args: {},
  returns: v.array(v.object({ _id: v.id("projects"), name: v.string(), favourite: v.boolean() })),
  handler: (ctx) => firstRows(ctx, { ...listOf(ctx, "changed"), toShape: toName }, undefined),
});

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

export const setFavourite = favouriteItem(projectPathFor);

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

const toName = ({ _id, name }: Doc<"projects">, favourite: boolean) => ({ _id, name, favourite });

const listOf = (ctx: CallerCtx, sort: ListSort) => ({
  ...projectsWithFavourites(ctx),
  sort,
  rows: () => rowsBy(ctx, ctx.user.id, sort),
  toShape: toProject,
});

function rowsBy({ db }: QueryCtx, ownerId: string, sort: ListSort) {
  const projects = db.query("projects");
  switch (sort) {
    case "manual":
      return projects.withIndex("by_order", (q) => q.eq("ownerId", ownerId).eq("removedAt", undefined));
    case "name":
      return projects.withIndex("by_sort_name", (q) => q.eq("ownerId", ownerId).eq("removedAt", undefined));
    case "created":
      return projects.withIndex("by_created", (q) => q.eq("ownerId", ownerId).eq("removedAt", undefined)).order("desc");
    case "changed":
      return projects.withIndex("by_owner", (q) => q.eq("ownerId", ownerId).eq("removedAt", undefined)).order("desc");
  }
}
