import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import type { QueryCtx } from "./_generated/server";
import { recordActivity } from "./activity";
import { designFor, imageFor, projectFor, userMutation, userQuery } from "./access";
import { check } from "./check";
import { copyDesign } from "./copies";
import { notFound } from "./errors";
import { moveDesign } from "./moves";
import { designsOf, lastKey, place, sortNameOf } from "./order";
import { LIST_LIMIT, pageOf } from "./paging";
import { createDesign, describe, renameDesign } from "./rules";
import { designShape, toDesign } from "./shapes";
import { FAVOURITES_MAX, type ListSort, sortArg, sorted, tooManyFavourites } from "./sorting";
import { designsChanged, toCover, touch } from "./summaries";
import { placeArgs, targetOf } from "./targets";
import { trashDesign } from "./trashing";
import { searchWords } from "./words";

/** A project's designs, favourites first, of these and of the others the one that changed last first; at most `LIST_LIMIT`. Throws "not_found". */
export const getDesignsByProjectId = userQuery({
  args: { projectId: v.string(), sort: sortArg },
  returns: v.array(designShape),
  handler: async (ctx, { projectId, sort = "changed" }) => {
    const project = await projectFor(ctx, projectId, "view");
    const favourites = await favouritesOf(ctx, project._id, sort);
    const others = await othersOf(ctx, project._id, sort).take(LIST_LIMIT - favourites.length);
    return [...favourites, ...others].map(toDesign);
  },
});

/** A project's designs in the same order, page by page. Throws "not_found". */
export const listDesigns = userQuery({
  args: { projectId: v.string(), sort: sortArg, paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(designShape),
  handler: async (ctx, { projectId, sort = "changed", paginationOpts }) => {
    const project = await projectFor(ctx, projectId, "view");
    const favourites = paginationOpts.cursor === null ? await favouritesOf(ctx, project._id, sort) : [];
    const result = await othersOf(ctx, project._id, sort).paginate(pageOf(paginationOpts, favourites.length));
    return { ...result, page: [...favourites, ...result.page].map(toDesign) };
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
      words: searchWords({ name }),
      orderKey: await lastKey(designsOf(ctx, project._id)),
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
    const found = await designFor(ctx, args.id, "edit");
    const { name } = check(renameDesign, args);
    await ctx.db.patch(found.design._id, { name, sortName: sortNameOf(name), words: searchWords({ ...found.design, name }) });
    await touch(ctx, found);
    await recordActivity(ctx, { kind: "renamed", ...found, from: found.design.name, to: name });
    return null;
  },
});

/** Sets what is told about a design; "" for nothing. Throws "not_found", or "invalid" for the text. */
export const setDescription = userMutation({
  args: { id: v.string(), description: v.string() },
  returns: v.null(),
  handler: async (ctx, args) => {
    const found = await designFor(ctx, args.id, "edit");
    const { description } = check(describe, args);
    await ctx.db.patch(found.design._id, {
      description: description || undefined,
      words: searchWords({ ...found.design, description }),
    });
    await touch(ctx, found);
    await recordActivity(ctx, { kind: "described", ...found });
    return null;
  },
});

/** Makes a design one of its project's favourites, or no longer. Throws "not_found", or "limit" beyond `FAVOURITES_MAX`. */
export const setFavourite = userMutation({
  args: { id: v.string(), favourite: v.boolean() },
  returns: v.null(),
  handler: async (ctx, { id, favourite }) => {
    const { design, project } = await designFor(ctx, id, "edit");
    if (favourite === (design.favouriteAt !== undefined)) return null;
    if (favourite && (await favouritesOf(ctx, project._id, "changed")).length >= FAVOURITES_MAX) throw tooManyFavourites();
    await ctx.db.patch(design._id, { favouriteAt: favourite ? Date.now() : undefined });
    return null;
  },
});

/** Chooses one of a design's images as its cover; without one the cover is made from the latest again. Throws "not_found". */
export const setCover = userMutation({
  args: { id: v.string(), imageId: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, { id, imageId }) => {
    const { design, project } = await designFor(ctx, id, "edit");
    const chosen = imageId === undefined ? null : await imageFor(ctx, imageId, "view");
    if (chosen && chosen.design._id !== design._id) throw notFound();
    await ctx.db.patch(design._id, { coverImageId: chosen?.image._id, chosenCover: chosen ? toCover(chosen.image) : undefined });
    await recordActivity(ctx, { kind: "covered", project, design, ...(chosen && { to: chosen.image.name }) });
    return null;
  },
});

/** Puts a design elsewhere in its project's order made by hand. Throws "not_found", also for another project's design as the neighbour. */
export const reorder = userMutation({
  args: placeArgs,
  returns: v.null(),
  handler: async (ctx, args) => {
    const { design, project } = await designFor(ctx, args.id, "edit");
    const target = await targetOf(args, async (beside) => {
      const other = await designFor(ctx, beside, "view");
      if (other.project._id !== project._id) throw notFound();
      return other.design;
    });
    if (await place(ctx, designsOf(ctx, project._id), design, target)) await recordActivity(ctx, { kind: "reordered", project, design });
    return null;
  },
});

/** Puts a design, with all that is in it, into another project, at its end. Throws "not_found" for either. */
export const move = userMutation({
  args: { id: v.string(), projectId: v.string() },
  returns: v.null(),
  handler: async (ctx, { id, projectId }) => {
    await moveDesign(ctx, await designFor(ctx, id, "edit"), await projectFor(ctx, projectId, "edit"));
    return null;
  },
});

/** Makes a copy of a design beside it, with all its images, and answers its id; a large one fills while it is looked at. Throws "not_found". */
export const duplicate = userMutation({
  args: { id: v.string() },
  returns: v.id("designs"),
  handler: async (ctx, { id }) => copyDesign(ctx, await designFor(ctx, id, "edit")),
});

/** Puts a design in the trash, which hides its images at once. Throws "not_found". */
export const moveToTrash = userMutation({
  args: { id: v.string() },
  returns: v.null(),
  handler: async (ctx, { id }) => trashDesign(ctx, await designFor(ctx, id, "edit")),
});

/** `moveToTrash` by the name under which open pages of an earlier build know it. */
export const remove = userMutation({
  args: { id: v.string() },
  returns: v.null(),
  handler: async (ctx, { id }) => trashDesign(ctx, await designFor(ctx, id, "edit")),
});

async function favouritesOf(ctx: QueryCtx, projectId: Id<"projects">, sort: ListSort): Promise<Doc<"designs">[]> {
  if (sort === "manual") return [];
  const favourites = await ctx.db
    .query("designs")
    .withIndex("by_age", (q) => q.eq("projectId", projectId).eq("removedAt", undefined).gt("favouriteAt", 0))
    .take(FAVOURITES_MAX);
  return sorted(favourites, sort);
}

/** All but the favourites; in the order made by hand, all. */
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
