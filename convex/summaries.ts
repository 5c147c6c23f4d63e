import type { Doc, Id } from "./_generated/dataModel";
import type { MutationCtx } from "./_generated/server";
import { changeUsage } from "./usage";

/**
 * What the row of a design or project tells about what is in it: counts, cover, last change. Whatever changes the contents calls one of
 * these in the same mutation, with the rows as it found them, so that the two never disagree.
 */

/** How many pictures a cover shows. */
export const COVER_SIZE = 4;

/**
 * Brings a design's row, and its project's, up to date after images came (`added` > 0) or went (< 0). What is in the trash counts nowhere but
 * in itself (a copy goes on being filled there, for instance); it brings its counts along when it comes back.
 */
export async function imagesChanged(ctx: MutationCtx, { design, project }: Place, added: number): Promise<void> {
  const newest = await ctx.db
    .query("designImages")
    .withIndex("by_design", (q) => q.eq("designId", design._id).eq("removedAt", undefined))
    .order("desc")
    .take(COVER_SIZE);
  await ctx.db.patch(design._id, {
    imageCount: design.imageCount + added,
    cover: newest.map(toCover),
    latestImageAt: newest[0]?._creationTime ?? 0,
    ...(await chosenIn(ctx, design)),
    updatedAt: Date.now(),
  });
  if (design.removedAt === undefined) await designsChanged(ctx, project, { images: added });
}

/** Brings a project's row up to date after designs, or images in them, came or went. */
export async function designsChanged(
  ctx: MutationCtx,
  project: Doc<"projects">,
  added: { designs?: number; images?: number },
): Promise<void> {
  await ctx.db.patch(project._id, {
    designCount: project.designCount + (added.designs ?? 0),
    imageCount: project.imageCount + (added.images ?? 0),
    ...(added.images && { cover: await projectCover(ctx, project._id), ...(await chosenIn(ctx, project)) }),
    updatedAt: Date.now(),
  });
  if (project.removedAt === undefined) await changeUsage(ctx, project.ownerId, added);
}

/** Brings covers up to date after an image has become another picture. */
export async function imageReplaced(ctx: MutationCtx, { design, project }: Place): Promise<void> {
  await imagesChanged(ctx, { design, project }, 0);
  await ctx.db.patch(project._id, { cover: await projectCover(ctx, project._id), ...(await chosenIn(ctx, project)) });
}

/** Notes that something in a design, or the design itself, changed without coming or going. */
export async function touch(ctx: MutationCtx, { design, project }: Place): Promise<void> {
  const updatedAt = Date.now();
  await ctx.db.patch(design._id, { updatedAt });
  await ctx.db.patch(project._id, { updatedAt });
}

type Place = { design: Doc<"designs">; project: Doc<"projects"> };

/** A project's newest images are among those of its designs with the newest images: as many designs as a cover has pictures suffice. */
async function projectCover(ctx: MutationCtx, projectId: Id<"projects">): Promise<Doc<"projects">["cover"]> {
  const designs = await ctx.db
    .query("designs")
    .withIndex("by_latest_image", (q) => q.eq("projectId", projectId).eq("removedAt", undefined).gt("latestImageAt", 0))
    .order("desc")
    .take(COVER_SIZE);
  return designs
    .flatMap((design) => design.cover)
    .toSorted((a, b) => b.addedAt - a.addedAt)
    .slice(0, COVER_SIZE);
}

/**
 * The picture of the image that was chosen as a cover, as a change of the row: gone while that image is not to be seen there (trashed, moved
 * away), and there again once it is.
 */
export async function chosenIn(
  { db }: MutationCtx,
  row: Doc<"designs"> | Doc<"projects">,
): Promise<{ chosenCover?: Doc<"designs">["chosenCover"] }> {
  if (row.coverImageId === undefined) return {};
  const image = await db.get(row.coverImageId);
  const design = image && image.removedAt === undefined ? await db.get(image.designId) : null;
  const there = design !== null && design.removedAt === undefined && (design._id === row._id || design.projectId === row._id);
  return { chosenCover: image && there ? toCover(image) : undefined };
}

export function toCover(image: Doc<"designImages">): Doc<"designs">["cover"][number] {
  const { _id, _creationTime, placeholder, width, height, versionId } = image;
  return { imageId: _id, placeholder, width, height, addedAt: _creationTime, ...(versionId !== undefined && { versionId }) };
}
