import { type Infer, v } from "convex/values";
import type { Doc } from "../../_generated/dataModel";
import type { QueryCtx } from "../../_generated/server";
import { type CallerCtx, designFor, imageFor, ifVisible, type ItemPath, projectFor } from "../access";

export const targetShape = v.object({
  kind: v.union(v.literal("project"), v.literal("design"), v.literal("image")),
  id: v.union(v.id("projects"), v.id("designs"), v.id("designImages")),
  name: v.string(),
});
export type Target = Infer<typeof targetShape>;

export async function pathFor(ctx: CallerCtx, itemId: string): Promise<ItemPath> {
  const right = "manageLinks";
  if (ctx.db.normalizeId("designImages", itemId)) return imageFor(ctx, itemId, right);
  if (ctx.db.normalizeId("designs", itemId)) return designFor(ctx, itemId, right);
  return { project: await projectFor(ctx, itemId, right) };
}

/** Applies the access rule of visitors, so that a link never reveals the name of a hidden item. */
export async function targetOf(ctx: QueryCtx, link: Doc<"links">): Promise<Target | null> {
  const reader = { ...ctx, user: null, link };
  const { itemId } = link;
  if (ctx.db.normalizeId("designImages", itemId)) {
    const path = await ifVisible(imageFor(reader, itemId, "view"));
    return path && { kind: "image", id: path.image._id, name: path.image.name };
  }
  if (ctx.db.normalizeId("designs", itemId)) {
    const path = await ifVisible(designFor(reader, itemId, "view"));
    return path && { kind: "design", id: path.design._id, name: path.design.name };
  }
  const project = await ifVisible(projectFor(reader, itemId, "view"));
  return project && { kind: "project", id: project._id, name: project.name };
}
