import type { Doc, Id } from "./_generated/dataModel";
import type { MutationCtx } from "./_generated/server";

/**
 * What the row of a design or project tells about what is in it: counts, cover, last change. Whatever changes the contents calls one of
 * these in the same mutation, so that the two never disagree.
 */

/** How many pictures a cover shows. */
export const COVER_SIZE = 4;

/** Brings a design's row, and its project's, up to date after images came (`added` > 0), went (< 0) or changed (0). */
export async function imagesChanged(ctx: MutationCtx, designId: Id<"designs">, added: number): Promise<void> {
  const design = await ctx.db.get(designId);
  if (!design) return;
  const newest = await ctx.db
    .query("designImages")
    .withIndex("by_design", (q) => q.eq("designId", designId).eq("removedAt", undefined))
    .order("desc")
    .take(COVER_SIZE);
  await ctx.db.patch(designId, {
    imageCount: design.imageCount + added,
    cover: newest.map(toCover),
    latestImageAt: newest[0]?._creationTime ?? 0,
    updatedAt: Date.now(),
  });
  await designsChanged(ctx, design.projectId, { images: added });
}

/** Brings a project's row up to date after its designs, or images in them, came, went or changed. */
export async function designsChanged(
  ctx: MutationCtx,
  projectId: Id<"projects">,
  added: { designs?: number; images?: number },
): Promise<void> {
  const project = await ctx.db.get(projectId);
  if (!project) return;
  await ctx.db.patch(projectId, {
    designCount: project.designCount + (added.designs ?? 0),
    imageCount: project.imageCount + (added.images ?? 0),
    cover: await projectCover(ctx, projectId),
    updatedAt: Date.now(),
  });
}

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

function toCover({ _id, _creationTime, placeholder, width, height }: Doc<"designImages">): Doc<"designs">["cover"][number] {
  return { imageId: _id, placeholder, width, height, addedAt: _creationTime };
}
