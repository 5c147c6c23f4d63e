import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { type Infer, v } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import type { QueryCtx } from "./_generated/server";
import { designFor, expectRight, trashedAncestorFor, projectFor, trashedFor, userMutation, userQuery } from "./model/access";
import { recordAuditEvent } from "./model/audit/recordAuditEvent";
import { removeFavouritesOfMoved } from "./model/items/favourites";
import { designsOf, imagesOf, lastKey } from "./model/lists/order";
import { conflict } from "./model/errors";
import { pageOf } from "./model/lists/paging";
import { redactUndoSteps, purgeBatch, purgeDesign, purgeImage, purgeProject, TRASH_TIME } from "./jobs/purge";
import { moveRequestsOfDesigns, moveRequestsOfImages } from "./model/review/requests";
import { expectNoRunningTransfer, expectSettled } from "./model/transfers/transfers";
import { expectVisible, restoreWithParents } from "./model/items/trashing";

const kind = v.union(v.literal("project"), v.literal("design"), v.literal("image"));
const placeShape = v.object({ _id: v.string(), name: v.string(), inTrash: v.boolean() });

const trashedShape = v.object({
  _id: v.string(),
  kind,
  name: v.string(),
  removedAt: v.number(),
  purgeAt: v.number(),
  placeholder: v.union(v.string(), v.null()),
  designCount: v.number(),
  imageCount: v.number(),
  project: v.union(placeShape, v.null()),
  design: v.union(placeShape, v.null()),
});
export type TrashedItem = Infer<typeof trashedShape>;

const SHOWN = 100;

export const getTrash = userQuery({
  args: {},
  returns: v.object({ projects: v.array(trashedShape), designs: v.array(trashedShape), images: v.array(trashedShape) }),
  handler: async (ctx) => ({
    projects: (await projectsIn(ctx, ctx.user.id).take(SHOWN)).map(trashedProject),
    designs: await all(await designsIn(ctx, ctx.user.id).take(SHOWN), (row) => trashedDesign(ctx, row)),
    images: await all(await imagesIn(ctx, ctx.user.id).take(SHOWN), (row) => trashedImage(ctx, row)),
  }),
});

export const listTrash = userQuery({
  args: { kind, paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(trashedShape),
  handler: async (ctx, { kind: of, paginationOpts }) => {
    const options = pageOf(paginationOpts);
    if (of === "project") {
      const result = await projectsIn(ctx, ctx.user.id).paginate(options);
      return { ...result, page: result.page.map(trashedProject) };
    }
    if (of === "design") {
      const result = await designsIn(ctx, ctx.user.id).paginate(options);
      return { ...result, page: await all(result.page, (row) => trashedDesign(ctx, row)) };
    }
    const result = await imagesIn(ctx, ctx.user.id).paginate(options);
    return { ...result, page: await all(result.page, (row) => trashedImage(ctx, row)) };
  },
});

export const getTrashed = userQuery({
  args: { id: v.string() },
  returns: trashedShape,
  handler: async (ctx, { id }) => {
    const found = await trashedAncestorFor(ctx, id);
    if (found.kind === "project") return trashedProject(found.project);
    return found.kind === "design" ? designItem(found.design, found.project) : imageItem(found.image, found.design, found.project);
  },
});

const restoredShape = v.object({
  kind,
  id: v.string(),
  name: v.string(),
  designId: v.optional(v.id("designs")),
  projectId: v.id("projects"),
});

/** Restores an item: `withPlace` also trashed parents, `into` to another parent. Otherwise throws "conflict" for a trashed parent. */
export const restore = userMutation({
  args: { id: v.string(), withPlace: v.optional(v.boolean()), into: v.optional(v.string()) },
  returns: restoredShape,
  handler: async (ctx, { id, withPlace = false, into }) => {
    const found = await trashedFor(ctx, id);
    if (found.kind !== "project") await expectSettled(ctx, found.project._id);
    if (into !== undefined && found.kind === "design") {
      const project = await projectFor(ctx, into, "edit");
      expectSameOwner(found.project, project);
      const isMoved = project._id !== found.project._id;
      if (isMoved) await removeFavouritesOfMoved(ctx, found.project, [found.design]);
      const orderKey = await lastKey(designsOf(ctx, project._id));
      const moved = { projectId: project._id, orderKey, ...(isMoved && { favouriteAt: undefined }) };
      await ctx.db.patch(found.design._id, moved);
      if (isMoved) await moveRequestsOfDesigns(ctx, [found.design], project._id);
      return restoreWithParents(ctx, { kind: "design", design: { ...found.design, ...moved }, project });
    }
    if (into !== undefined && found.kind === "image") {
      const { design, project } = await designFor(ctx, into, "edit");
      expectSameOwner(found.project, project);
      await ctx.db.patch(found.image._id, { designId: design._id, orderKey: await lastKey(imagesOf(ctx, design._id)) });
      await moveRequestsOfImages(ctx, [found.image], design);
      return restoreWithParents(ctx, { kind: "image", image: found.image, design, project });
    }
    if (!withPlace && found.kind !== "project") {
      expectVisible(found.project, "project");
      if (found.kind === "image") expectVisible(found.design, "design");
    }
    return restoreWithParents(ctx, found);
  },
});

/** Throws for another owner, because such a move is a copy (`moves.ts`), which needs an item outside the trash. */
function expectSameOwner(from: Doc<"projects">, to: Doc<"projects">): void {
  if (from.ownerId !== to.ownerId)
    throw conflict("This project has another owner. Restore the item to its original location first, then move it here.");
}

export const purge = userMutation({
  args: { id: v.string() },
  returns: v.null(),
  handler: async (ctx, { id }) => {
    const found = await trashedFor(ctx, id);
    await expectRight(ctx, found.project, found.kind === "project" ? "deleteProject" : "purge");
    if (found.kind === "project") await purgeProject(ctx, found.project);
    else if (found.kind === "design") await purgeDesign(ctx, found.design);
    else await purgeImage(ctx, found.image);
    await redactUndoSteps(ctx, ctx.user.id, found.kind === "project" ? [] : [found.project._id]);
    const deleted = found.kind === "project" ? found.project : found.kind === "design" ? found.design : found.image;
    await recordAuditEvent(ctx, { action: "item.deleted", target: { kind: found.kind, id: deleted._id } });
    return null;
  },
});

export const empty = userMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    await expectNoRunningTransfer(ctx, ctx.user.id);
    const count = await purgeBatch(ctx, { ownerId: ctx.user.id, before: Date.now() + 1 });
    if (count > 0) await recordAuditEvent(ctx, { action: "trash.emptied" });
    return null;
  },
});

const projectsIn = (ctx: QueryCtx, ownerId: string) =>
  ctx.db
    .query("projects")
    .withIndex("by_trash", (q) => q.eq("ownerId", ownerId).eq("purgingSince", undefined).gt("removedAt", 0))
    .order("desc");

const designsIn = (ctx: QueryCtx, ownerId: string) =>
  ctx.db
    .query("designs")
    .withIndex("by_trash", (q) => q.eq("ownerId", ownerId).eq("purgingSince", undefined).gt("removedAt", 0))
    .order("desc");

const imagesIn = (ctx: QueryCtx, ownerId: string) =>
  ctx.db
    .query("designImages")
    .withIndex("by_trash", (q) => q.eq("ownerId", ownerId).eq("purgingSince", undefined).gt("removedAt", 0))
    .order("desc");

function trashedProject(row: Doc<"projects">): TrashedItem {
  const { designCount, imageCount } = row;
  return { ...own(row), kind: "project", placeholder: blurOf(row), designCount, imageCount, project: null, design: null };
}

async function trashedDesign(ctx: QueryCtx, row: Doc<"designs">): Promise<TrashedItem | null> {
  const project = await ctx.db.get(row.projectId);
  return project && project.purgingSince === undefined ? designItem(row, project) : null;
}

async function trashedImage(ctx: QueryCtx, row: Doc<"designImages">): Promise<TrashedItem | null> {
  const design = await ctx.db.get(row.designId);
  const project = design && design.purgingSince === undefined ? await ctx.db.get(design.projectId) : null;
  return design && project && project.purgingSince === undefined ? imageItem(row, design, project) : null;
}

function designItem(row: Doc<"designs">, project: Doc<"projects">): TrashedItem {
  const { imageCount } = row;
  return { ...own(row), kind: "design", placeholder: blurOf(row), designCount: 0, imageCount, project: placed(project), design: null };
}

function imageItem(row: Doc<"designImages">, design: Doc<"designs">, project: Doc<"projects">): TrashedItem {
  const { placeholder } = row;
  return { ...own(row), kind: "image", placeholder, designCount: 0, imageCount: 0, project: placed(project), design: placed(design) };
}

function own({ _id, name, removedAt = 0 }: Doc<"projects"> | Doc<"designs"> | Doc<"designImages">) {
  return { _id, name, removedAt, purgeAt: removedAt + TRASH_TIME };
}

const blurOf = ({ chosenCover, cover }: Doc<"projects"> | Doc<"designs">) => (chosenCover ?? cover[0])?.placeholder ?? null;

const placed = ({ _id, name, removedAt }: Doc<"projects"> | Doc<"designs">) => ({ _id, name, inTrash: removedAt !== undefined });

async function all<Row>(rows: Row[], look: (row: Row) => Promise<TrashedItem | null>): Promise<TrashedItem[]> {
  return (await Promise.all(rows.map(look))).filter((item) => item !== null);
}
