import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import type { QueryCtx } from "./_generated/server";
import { designFor, ownRoleIn, projectFor, readerQuery, undoableMutation, userMutation, userQuery } from "./model/access";
import { check } from "./model/check";
import { withUnread, withUnreadMark } from "./model/comments/unread";
import { copyDesign } from "./jobs/copies";
import { designsWithFavourites, favouriteAtOf } from "./model/favourites";
import { insertDesign } from "./model/creation";
import { moveDesign } from "./model/moves";
import { coverItem, describeItem, favouriteItem, renameItem, reorderItem, trashItem } from "./model/itemMutations";
import { firstRows, pageOfRows } from "./model/lists/favouritesFirst";
import { createDesign, renameDesign } from "./model/rules";
import { coverShape, designPageShape, designShape, forReader, toDesign } from "./model/shapes";
import { type ListSort, sortArg } from "./model/lists/sorting";
import { trashDesign } from "./model/trashing";

export const getDesignsByProjectId = readerQuery({
  args: { projectId: v.string(), sort: sortArg, favourites: v.optional(v.literal(true)) },
  returns: v.array(designShape),
  handler: async (ctx, { projectId, sort = "changed", favourites: only }) => {
    const designs = await firstRows(ctx, listOf(ctx, await projectFor(ctx, projectId, "view"), sort), only);
    return withUnread(
      ctx,
      designs.map((design) => forReader(ctx, design)),
    );
  },
});

export const listDesigns = readerQuery({
  args: { projectId: v.string(), sort: sortArg, paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(designShape),
  handler: async (ctx, { projectId, sort = "changed", paginationOpts }) => {
    const result = await pageOfRows(ctx, listOf(ctx, await projectFor(ctx, projectId, "view"), sort), paginationOpts);
    const page = result.page.map((design) => forReader(ctx, design));
    return { ...result, page: await withUnread(ctx, page) };
  },
});

export const getDesignById = readerQuery({
  args: { id: v.string() },
  returns: designPageShape,
  handler: async (ctx, { id }) => {
    const place = await designFor(ctx, id, "view");
    const isFavourite = (await favouriteAtOf(ctx, place)) !== undefined;
    const shown = await withUnreadMark(ctx, forReader(ctx, toDesign(place.design, isFavourite)));
    return { ...shown, ...(await ownRoleIn(ctx, place.project)) };
  },
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

export const setFavourite = favouriteItem(designFor);

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

const listOf = (ctx: QueryCtx, project: Doc<"projects">, sort: ListSort) => ({
  ...designsWithFavourites(ctx, project),
  sort,
  rows: () => rowsBy(ctx, project._id, sort),
  toShape: toDesign,
});

function rowsBy({ db }: QueryCtx, projectId: Id<"projects">, sort: ListSort) {
  const designs = db.query("designs");
  switch (sort) {
    case "manual":
      return designs.withIndex("by_order", (q) => q.eq("projectId", projectId).eq("removedAt", undefined));
    case "name":
      return designs.withIndex("by_sort_name", (q) => q.eq("projectId", projectId).eq("removedAt", undefined));
    case "created":
      return designs.withIndex("by_created", (q) => q.eq("projectId", projectId).eq("removedAt", undefined)).order("desc");
    case "changed":
      return designs.withIndex("by_project", (q) => q.eq("projectId", projectId).eq("removedAt", undefined)).order("desc");
  }
}
