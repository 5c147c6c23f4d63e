import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import type { QueryCtx } from "./_generated/server";
import { designFor, projectFor, undoableMutation, userMutation, userQuery } from "./model/access";
import { check } from "./model/check";
import { copyDesign } from "./jobs/copies";
import { insertDesign } from "./model/creation";
import { moveDesign } from "./model/moves";
import { coverItem, describeItem, favouriteItem, renameItem, reorderItem, trashItem } from "./model/itemMutations";
import { LIST_LIMIT, pageOf } from "./model/lists/paging";
import { createDesign, renameDesign } from "./model/rules";
import { coverShape, designShape, toDesign } from "./model/shapes";
import { FAVOURITES_MAX, type ListSort, sortArg, sorted } from "./model/lists/sorting";
import { trashDesign } from "./model/trashing";

export const getDesignsByProjectId = userQuery({
  args: { projectId: v.string(), sort: sortArg, favourites: v.optional(v.literal(true)) },
  returns: v.array(designShape),
  handler: async (ctx, { projectId, sort = "changed", favourites: only }) => {
    const project = await projectFor(ctx, projectId, "view");
    if (only) return sorted(await favouritesOf(ctx, project._id), sort).map(toDesign);
    const favourites = sort === "manual" ? [] : sorted(await favouritesOf(ctx, project._id), sort);
    const notFavourites = await othersOf(ctx, project._id, sort).take(LIST_LIMIT - favourites.length);
    return [...favourites, ...notFavourites].map(toDesign);
  },
});

export const listDesigns = userQuery({
  args: { projectId: v.string(), sort: sortArg, paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(designShape),
  handler: async (ctx, { projectId, sort = "changed", paginationOpts }) => {
    const project = await projectFor(ctx, projectId, "view");
    const isFirst = paginationOpts.cursor === null && sort !== "manual";
    const favourites = isFirst ? sorted(await favouritesOf(ctx, project._id), sort) : [];
    const result = await othersOf(ctx, project._id, sort).paginate(pageOf(paginationOpts, favourites.length));
    return { ...result, page: [...favourites, ...result.page].map(toDesign) };
  },
});

export const getDesignById = userQuery({
  args: { id: v.string() },
  returns: designShape,
  handler: async (ctx, { id }) => toDesign((await designFor(ctx, id, "view")).design),
});

const RECENT = { projects: 5, designs: 3, shown: 6 };

export const getRecent = userQuery({
  args: {},
  returns: v.array(v.object({ _id: v.id("designs"), name: v.string(), projectName: v.string(), cover: v.array(coverShape) })),
  handler: async (ctx) => {
    const projects = await ctx.db
      .query("projects")
      .withIndex("by_owner", (q) => q.eq("ownerId", ctx.user.id).eq("removedAt", undefined))
      .order("desc")
      .take(RECENT.projects);
    const designs = await Promise.all(
      projects.map(async ({ _id: projectId, name: projectName }) => {
        const rows = await ctx.db
          .query("designs")
          .withIndex("by_project", (q) => q.eq("projectId", projectId).eq("removedAt", undefined))
          .order("desc")
          .take(RECENT.designs);
        return rows.map((row) => {
          const { _id, name, cover, updatedAt } = toDesign(row);
          return { _id, name, cover, projectName, updatedAt };
        });
      }),
    );
    const latest = designs.flat().toSorted((a, b) => b.updatedAt - a.updatedAt);
    return latest.slice(0, RECENT.shown).map(({ _id, name, cover, projectName }) => ({ _id, name, cover, projectName }));
  },
});

export const create = userMutation({
  args: { projectId: v.string(), name: v.string() },
  returns: v.id("designs"),
  handler: async (ctx, args) => {
    const project = await projectFor(ctx, args.projectId, "edit");
    return insertDesign(ctx, project, check(createDesign, args).name);
  },
});

export const rename = renameItem(designFor, renameDesign);

export const setDescription = describeItem(designFor);

export const setFavourite = favouriteItem(designFor, (ctx, { project }) => favouritesOf(ctx, project._id));

export const setCover = coverItem(designFor);

export const reorder = reorderItem(designFor);

export const move = undoableMutation({
  args: { id: v.string(), projectId: v.string() },
  returns: v.null(),
  handler: async (ctx, { id, projectId }) => {
    await moveDesign(ctx, await designFor(ctx, id, "edit"), await projectFor(ctx, projectId, "edit"));
    return null;
  },
});

export const duplicate = undoableMutation({
  args: { id: v.string() },
  returns: v.id("designs"),
  handler: async (ctx, { id }) => copyDesign(ctx, await designFor(ctx, id, "edit")),
});

export const moveToTrash = trashItem(designFor, trashDesign);

/** Alias of `moveToTrash` for open pages of an earlier build. */
export const remove = trashItem(designFor, trashDesign);

function favouritesOf(ctx: QueryCtx, projectId: Id<"projects">): Promise<Doc<"designs">[]> {
  return ctx.db
    .query("designs")
    .withIndex("by_age", (q) => q.eq("projectId", projectId).eq("removedAt", undefined).gt("favouriteAt", 0))
    .take(FAVOURITES_MAX);
}

/** Excludes favourites, except in manual order. */
function othersOf(ctx: QueryCtx, projectId: Id<"projects">, sort: ListSort) {
  const designs = ctx.db.query("designs");
  switch (sort) {
    case "manual":
      return designs.withIndex("by_order", (q) => q.eq("projectId", projectId).eq("removedAt", undefined));
    case "name":
      return designs.withIndex("by_sort_name", (q) => q.eq("projectId", projectId).eq("removedAt", undefined).eq("favouriteAt", undefined));
    case "created":
      return designs
        .withIndex("by_age", (q) => q.eq("projectId", projectId).eq("removedAt", undefined).eq("favouriteAt", undefined))
        .order("desc");
    case "changed":
      return designs
        .withIndex("by_change", (q) => q.eq("projectId", projectId).eq("removedAt", undefined).eq("favouriteAt", undefined))
        .order("desc");
  }
}
