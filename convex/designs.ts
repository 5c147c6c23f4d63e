import { sharedProjects } from "./model/items/sharedProjects";
import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import type { QueryCtx } from "./_generated/server";
import { designFor, ownRoleIn, projectFor, type ReaderCtx, readerQuery, undoableMutation, userMutation, userQuery } from "./model/access";
import { check } from "./model/check";
import { withUnread, withUnreadMark } from "./model/comments/unread";
import { copyDesign } from "./jobs/copies";
import { designsWithFavourites, favouriteAtOf } from "./model/items/favourites";
import { insertDesign } from "./model/items/creation";
import { moveDesign } from "./model/items/moves";
import { coverItem, describeItem, favouriteItem, renameItem, reorderItem, trashItem } from "./model/items/itemMutations";
import { firstRows, pageOfRows } from "./model/lists/favouritesFirst";
import { reviewFilter } from "./model/review/reviewTables";
import { type ReviewFilter, storedStatus } from "./model/review/statuses";
import { createDesign, renameDesign } from "./model/rules";
import { coverShape, designPageShape, designShape, forReader, toDesign } from "./model/shapes";
import { type ListSort, sortArg } from "./model/lists/sorting";
import { trashDesign } from "./model/items/trashing";

/** Returns only items with this status, in manual order, the only order of that index. Visitors of links see no statuses. */
const review = v.optional(reviewFilter);

export const getDesignsByProjectId = readerQuery({
  args: { projectId: v.string(), sort: sortArg, favourites: v.optional(v.literal(true)), review },
  returns: v.array(designShape),
  handler: async (ctx, { projectId, sort = "changed", favourites: only, review: filter }) => {
    const designs = await firstRows(ctx, listOf(ctx, await projectFor(ctx, projectId, "view"), sort, filter), only);
    return withUnread(
      ctx,
      designs.map((design) => forReader(ctx, design)),
    );
  },
});

export const listDesigns = readerQuery({
  args: { projectId: v.string(), sort: sortArg, review, paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(designShape),
  handler: async (ctx, { projectId, sort = "changed", review: filter, paginationOpts }) => {
    const result = await pageOfRows(ctx, listOf(ctx, await projectFor(ctx, projectId, "view"), sort, filter), paginationOpts);
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
    const { imageReviews } = place.design;
    const counts = imageReviews && !ctx.link ? { imageReviews } : {};
    return { ...shown, ...(await ownRoleIn(ctx, place.project)), ...counts };
  },
});

export const getProject = userQuery({
  args: { id: v.string() },
  returns: v.object({ _id: v.id("projects"), name: v.string() }),
  handler: async (ctx, { id }) => {
    const { project } = await designFor(ctx, id, "view");
    return { _id: project._id, name: project.name };
  },
});

/** Memberships whose projects `getRecent` reads to find the last changed ones. */
const SHARED_READ = 50;
const RECENT = { projects: 5, designs: 3, shown: 6 };

export const getRecent = userQuery({
  args: { shared: v.optional(v.union(v.literal("view"), v.literal("edit"))) },
  returns: v.array(v.object({ _id: v.id("designs"), name: v.string(), projectName: v.string(), cover: v.array(coverShape) })),
  handler: async (ctx, { shared }) => {
    const own = await ctx.db
      .query("projects")
      .withIndex("by_owner", (q) => q.eq("ownerId", ctx.user.id).eq("removedAt", undefined))
      .order("desc")
      .take(RECENT.projects);
    const others = shared === undefined ? [] : await sharedProjects(ctx, shared, SHARED_READ);
    const projects = [...own, ...others.toSorted((a, b) => b.updatedAt - a.updatedAt).slice(0, RECENT.projects)];
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

function listOf(ctx: ReaderCtx, project: Doc<"projects">, sort: ListSort, filter: ReviewFilter | undefined) {
  const list = { ...designsWithFavourites(ctx, project), toShape: toDesign };
  if (filter === undefined || ctx.link) return { ...list, sort, rows: () => rowsBy(ctx, project._id, sort) };
  return { ...list, sort: "manual" as const, rows: () => rowsWith(ctx, project._id, filter) };
}

const rowsWith = ({ db }: QueryCtx, projectId: Id<"projects">, filter: ReviewFilter) =>
  db
    .query("designs")
    .withIndex("by_review", (q) => q.eq("projectId", projectId).eq("removedAt", undefined).eq("review.status", storedStatus(filter)));

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
