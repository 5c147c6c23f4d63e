import type { Doc, Id } from "../../_generated/dataModel";
import type { MutationCtx } from "../../_generated/server";
import { recordActivity } from "../activities/recordActivity";
import type { DesignGroup, DesignPath, ImageGroup, ImagePath, Trashed } from "../access";
import { conflict } from "../errors";
import { isolate } from "../isolate";
import { designsChanged, imagesChanged, sumOfDesigns, sumOfImages } from "./summaries";
import { expectSettled } from "../transfers/transfers";
import { changeUsage } from "../limits/usage";

/** Marks only the item itself, so the cost does not depend on its contents, and earlier trashed contents stay trashed. */

type Ctx = MutationCtx & { user: Doc<"users"> };

export async function trashProject(ctx: Ctx, project: Doc<"projects">): Promise<null> {
  await ctx.db.patch(project._id, { removedAt: Date.now() });
  await changeUsage(ctx, project.ownerId, { projects: -1, designs: -project.designCount, images: -project.imageCount });
  await recordActivity(ctx, { kind: "trashed", project });
  return null;
}

export async function trashDesign(ctx: Ctx, { design, project }: DesignPath): Promise<null> {
  await ctx.db.patch(design._id, { removedAt: Date.now() });
  await designsChanged(ctx, project, sumOfDesigns([design], -1));
  await recordActivity(ctx, { kind: "trashed", project, design });
  return null;
}

export async function trashImage(ctx: Ctx, { image, ...path }: ImagePath): Promise<null> {
  await ctx.db.patch(image._id, { removedAt: Date.now() });
  await imagesChanged(ctx, path, sumOfImages([image], -1));
  await recordActivity(ctx, { kind: "trashed", ...path, image });
  return null;
}

export async function trashImages(ctx: Ctx, groups: ImageGroup[]): Promise<null> {
  const removedAt = Date.now();
  for (const { images, ...found } of groups) {
    for (const { _id } of images) await ctx.db.patch(_id, { removedAt });
    const path = await reloadPath(ctx, found);
    await imagesChanged(ctx, path, sumOfImages(images, -1));
    await recordActivity(ctx, { kind: "trashed", ...path, image: images.at(-1), count: images.length });
  }
  return null;
}

export async function trashDesigns(ctx: Ctx, groups: DesignGroup[]): Promise<null> {
  const removedAt = Date.now();
  for (const { designs, project } of groups) {
    for (const { _id } of designs) await ctx.db.patch(_id, { removedAt });
    await designsChanged(ctx, project, sumOfDesigns(designs, -1));
    await recordActivity(ctx, { kind: "trashed", project, design: designs.at(-1), count: designs.length });
  }
  return null;
}

export async function restoreMany(ctx: Ctx, trashed: Trashed[]): Promise<null> {
  for (const each of trashed) if (each.kind === "project") await restoreProject(ctx, each.project);
  const designs = trashed.filter((each) => each.kind === "design");
  for (const [id, group] of Map.groupBy(designs, ({ project }) => project._id)) {
    const project = await ctx.db.get(id);
    if (!project) continue;
    expectVisible(project, "project");
    await expectSettled(ctx, id);
    for (const { design } of group) await ctx.db.patch(design._id, { removedAt: undefined });
    const rows = group.map(({ design }) => design);
    await designsChanged(ctx, project, sumOfDesigns(rows, 1));
    await recordActivity(ctx, { kind: "restored", project, design: rows.at(-1), count: rows.length });
  }
  const images = trashed.filter((each) => each.kind === "image");
  for (const group of Map.groupBy(images, ({ design }) => design._id).values()) {
    const [first] = group;
    if (!first) continue;
    const path = await reloadPath(ctx, first);
    expectVisible(path.project, "project");
    expectVisible(path.design, "design");
    await expectSettled(ctx, path.project._id);
    for (const { image } of group) await ctx.db.patch(image._id, { removedAt: undefined });
    const rows = group.map(({ image }) => image);
    await imagesChanged(ctx, path, sumOfImages(rows, 1));
    await recordActivity(ctx, { kind: "restored", ...path, image: group.at(-1)?.image, count: group.length });
  }
  return null;
}

export function expectVisible({ name, removedAt }: Doc<"projects"> | Doc<"designs">, kind: "project" | "design"): void {
  if (removedAt !== undefined) throw conflict(`Its ${kind} “${isolate(name)}” is in the trash too.`);
}

async function reloadPath({ db }: Ctx, { design, project }: DesignPath): Promise<DesignPath> {
  return { design: (await db.get(design._id)) ?? design, project: (await db.get(project._id)) ?? project };
}

export type Restored = { kind: Trashed["kind"]; id: string; name: string; designId?: Id<"designs">; projectId: Id<"projects"> };

async function restoreProject(ctx: Ctx, project: Doc<"projects">): Promise<Doc<"projects">> {
  await ctx.db.patch(project._id, { removedAt: undefined });
  await changeUsage(ctx, project.ownerId, { projects: 1, designs: project.designCount, images: project.imageCount });
  await recordActivity(ctx, { kind: "restored", project });
  return { ...project, removedAt: undefined };
}

async function restoreDesign(ctx: Ctx, { design, project }: DesignPath): Promise<DesignPath> {
  await ctx.db.patch(design._id, { removedAt: undefined });
  await designsChanged(ctx, project, sumOfDesigns([design], 1));
  await recordActivity(ctx, { kind: "restored", project, design });
  return { design: { ...design, removedAt: undefined }, project: (await ctx.db.get(project._id)) ?? project };
}

export async function restoreWithParents(ctx: Ctx, trashed: Trashed): Promise<Restored> {
  let { project } = trashed;
  if (project.removedAt !== undefined) project = await restoreProject(ctx, project);
  if (trashed.kind === "project") return { kind: "project", id: project._id, name: project.name, projectId: project._id };

  let path: DesignPath = { design: trashed.design, project };
  if (path.design.removedAt !== undefined) path = await restoreDesign(ctx, path);
  const { design } = path;
  if (trashed.kind === "design") return { kind: "design", id: design._id, name: design.name, designId: design._id, projectId: project._id };

  const { image } = trashed;
  await ctx.db.patch(image._id, { removedAt: undefined });
  await imagesChanged(ctx, path, sumOfImages([image], 1));
  await recordActivity(ctx, { kind: "restored", ...path, image });
  return { kind: "image", id: image._id, name: image.name, designId: design._id, projectId: project._id };
}
