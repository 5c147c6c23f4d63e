import type { Doc, Id } from "./_generated/dataModel";
import type { MutationCtx } from "./_generated/server";
import { recordActivity } from "./activity";
import type { Trashed } from "./access";
import { designsChanged, imagesChanged } from "./summaries";
import { changeUsage } from "./usage";

/**
 * Into the trash and out of it. Only the thing itself is marked: what is in it is hidden through it (`access.ts`), and comes back with it as
 * it was. So both cost the same however much is in it, and what was trashed for itself before stays where it is.
 */

type Ctx = MutationCtx & { user: Doc<"users"> };
type DesignPlace = { design: Doc<"designs">; project: Doc<"projects"> };
type ImagePlace = DesignPlace & { image: Doc<"designImages"> };

export async function trashProject(ctx: Ctx, project: Doc<"projects">): Promise<null> {
  await ctx.db.patch(project._id, { removedAt: Date.now() });
  await changeUsage(ctx, project.ownerId, { projects: -1, designs: -project.designCount, images: -project.imageCount });
  await recordActivity(ctx, { kind: "trashed", project });
  return null;
}

export async function trashDesign(ctx: Ctx, { design, project }: DesignPlace): Promise<null> {
  await ctx.db.patch(design._id, { removedAt: Date.now() });
  await designsChanged(ctx, project, { designs: -1, images: -design.imageCount });
  await recordActivity(ctx, { kind: "trashed", project, design });
  return null;
}

export async function trashImage(ctx: Ctx, { image, ...place }: ImagePlace): Promise<null> {
  await ctx.db.patch(image._id, { removedAt: Date.now() });
  await imagesChanged(ctx, place, -1);
  await recordActivity(ctx, { kind: "trashed", ...place, image });
  return null;
}

/** Where something is to be seen again once it is restored. */
export type Restored = { kind: Trashed["kind"]; id: string; name: string; designId?: Id<"designs">; projectId: Id<"projects"> };

async function restoreProject(ctx: Ctx, project: Doc<"projects">): Promise<Doc<"projects">> {
  await ctx.db.patch(project._id, { removedAt: undefined });
  await changeUsage(ctx, project.ownerId, { projects: 1, designs: project.designCount, images: project.imageCount });
  await recordActivity(ctx, { kind: "restored", project });
  return { ...project, removedAt: undefined };
}

async function restoreDesign(ctx: Ctx, { design, project }: DesignPlace): Promise<DesignPlace> {
  await ctx.db.patch(design._id, { removedAt: undefined });
  await designsChanged(ctx, project, { designs: 1, images: design.imageCount });
  await recordActivity(ctx, { kind: "restored", project, design });
  return { design: { ...design, removedAt: undefined }, project: (await ctx.db.get(project._id)) ?? project };
}

/** Brings something back where it was, and first what it was in where that is in the trash too. */
export async function restoreWithPlace(ctx: Ctx, trashed: Trashed): Promise<Restored> {
  let { project } = trashed;
  if (project.removedAt !== undefined) project = await restoreProject(ctx, project);
  if (trashed.kind === "project") return { kind: "project", id: project._id, name: project.name, projectId: project._id };

  let place: DesignPlace = { design: trashed.design, project };
  if (place.design.removedAt !== undefined) place = await restoreDesign(ctx, place);
  const { design } = place;
  if (trashed.kind === "design") return { kind: "design", id: design._id, name: design.name, designId: design._id, projectId: project._id };

  const { image } = trashed;
  await ctx.db.patch(image._id, { removedAt: undefined });
  await imagesChanged(ctx, place, 1);
  await recordActivity(ctx, { kind: "restored", ...place, image });
  return { kind: "image", id: image._id, name: image.name, designId: design._id, projectId: project._id };
}
