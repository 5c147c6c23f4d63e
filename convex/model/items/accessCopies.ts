import { defineTable } from "convex/server";
import { v } from "convex/values";
import type { Doc, Id } from "../../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../../_generated/server";

/** Copies of the fields of projects and designs that decide access. An upload changes both items, but not their copies (decision 200). */

const removedAt = v.optional(v.number());

export const accessCopyTables = {
  projectAccess: defineTable({ projectId: v.id("projects"), ownerId: v.string(), removedAt }).index("by_project", ["projectId"]),
  designAccess: defineTable({ designId: v.id("designs"), projectId: v.id("projects"), removedAt }).index("by_design", ["designId"]),
};

const ACCESS_FIELDS = ["ownerId", "projectId", "removedAt"];

type Reader = Pick<QueryCtx, "db">;
type Writer = Pick<MutationCtx, "db">;
type Path = { design: Doc<"designs">; project: Doc<"projects"> };
export type ProjectAccess = Pick<Doc<"projects">, "_id" | "ownerId" | "removedAt">;
export type DesignAccess = Pick<Doc<"designs">, "_id" | "projectId" | "removedAt">;

/** Reads the project itself if it has no copy. */
export async function projectAccessOf(ctx: Reader, id: Id<"projects">): Promise<ProjectAccess | null> {
  const copy = await copyOfProject(ctx, id);
  return copy ? { ...copy, _id: id } : ctx.db.get(id);
}

export async function designAccessOf(ctx: Reader, id: Id<"designs">): Promise<DesignAccess | null> {
  const copy = await copyOfDesign(ctx, id);
  return copy ? { ...copy, _id: id } : ctx.db.get(id);
}

/** Called before images are added, so that items of earlier builds get copies too. */
export async function storeAccessCopies(ctx: Writer, { design, project }: Path): Promise<void> {
  if (!(await copyOfProject(ctx, project._id))) await ctx.db.insert("projectAccess", fieldsOfProject(project));
  if (!(await copyOfDesign(ctx, design._id))) await ctx.db.insert("designAccess", fieldsOfDesign(design));
}

/** Updates the copies of changed projects and designs, and deletes those of deleted ones. */
export async function updateAccessCopies(ctx: Writer, changed: Iterable<string>): Promise<void> {
  for (const id of changed) {
    const projectId = ctx.db.normalizeId("projects", id);
    if (projectId) await updateCopyOfProject(ctx, projectId);
    const designId = ctx.db.normalizeId("designs", id);
    if (designId) await updateCopyOfDesign(ctx, designId);
  }
}

export const changesAccessCopy = (fields: object): boolean => ACCESS_FIELDS.some((field) => field in fields);

async function updateCopyOfProject(ctx: Writer, id: Id<"projects">): Promise<void> {
  const copy = await copyOfProject(ctx, id);
  if (!copy) return;
  const project = await ctx.db.get(id);
  if (project) await ctx.db.patch(copy._id, fieldsOfProject(project));
  else await ctx.db.delete(copy._id);
}

async function updateCopyOfDesign(ctx: Writer, id: Id<"designs">): Promise<void> {
  const copy = await copyOfDesign(ctx, id);
  if (!copy) return;
  const design = await ctx.db.get(id);
  if (design) await ctx.db.patch(copy._id, fieldsOfDesign(design));
  else await ctx.db.delete(copy._id);
}

const fieldsOfProject = ({ _id, ownerId, removedAt }: Doc<"projects">) => ({ projectId: _id, ownerId, removedAt });
const fieldsOfDesign = ({ _id, projectId, removedAt }: Doc<"designs">) => ({ designId: _id, projectId, removedAt });

const copyOfProject = ({ db }: Reader, id: Id<"projects">) =>
  db
    .query("projectAccess")
    .withIndex("by_project", (q) => q.eq("projectId", id))
    .unique();

const copyOfDesign = ({ db }: Reader, id: Id<"designs">) =>
  db
    .query("designAccess")
    .withIndex("by_design", (q) => q.eq("designId", id))
    .unique();
