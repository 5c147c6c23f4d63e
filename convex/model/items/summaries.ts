import type { Doc, Id } from "../../_generated/dataModel";
import type { MutationCtx } from "../../_generated/server";
import type { DesignPath } from "../access";
import { bytesIn } from "../images/imageBytes";
import { changeUsage } from "../limits/usage";
import { storeAccessCopies } from "./accessCopies";
import { changedImageReviews, addReviewCounts, countsOf, countsOfDesigns } from "../review/reviewCounts";
import type { ProjectReviews, ReviewCounts } from "../review/reviewTables";

export const COVER_SIZE = 4;

type Added = { images: number; bytes: number; reviews?: ReviewCounts | undefined };
type AddedDesigns = { designs?: number; images?: number; bytes?: number; reviews?: Partial<ProjectReviews> | undefined };

/** Returns what images add to their design. `sign` is -1 for images that leave. */
export const sumOfImages = (images: readonly Doc<"designImages">[], sign: 1 | -1): Added => ({
  images: sign * images.length,
  bytes: sign * bytesIn(images),
  reviews: countsOf(images, sign),
});

/** Returns what designs add to their project. `sign` is -1 for designs that leave. */
export const sumOfDesigns = (designs: readonly Doc<"designs">[], sign: 1 | -1): AddedDesigns => ({
  designs: sign * designs.length,
  images: sign * designs.reduce((sum, { imageCount }) => sum + imageCount, 0),
  bytes: sign * bytesIn(designs),
  reviews: countsOfDesigns(designs, sign),
});

/** Updates counts, bytes and covers; `added` is negative for removals. Trashed items keep their own counts but do not count in their parents. */
export async function imagesChanged(ctx: MutationCtx, { design, project }: DesignPath, added: Added): Promise<void> {
  const { images, bytes, reviews } = added;
  if (images > 0) await storeAccessCopies(ctx, { design, project });
  const newest = await ctx.db
    .query("designImages")
    .withIndex("by_design", (q) => q.eq("designId", design._id).eq("removedAt", undefined))
    .order("desc")
    .take(COVER_SIZE);
  await ctx.db.patch(design._id, {
    imageCount: design.imageCount + images,
    bytes: bytesIn([design]) + bytes,
    cover: newest.map(toCover),
    latestImageAt: newest[0]?._creationTime ?? 0,
    ...(await chosenIn(ctx, design)),
    ...(reviews && changedImageReviews(design, reviews)),
    updatedAt: Date.now(),
  });
  if (design.removedAt === undefined) await designsChanged(ctx, project, { images, bytes, reviews: reviews && { images: reviews } });
}

export async function designsChanged(
  ctx: MutationCtx,
  project: Doc<"projects">,
  { reviews, bytes = 0, ...added }: AddedDesigns,
): Promise<void> {
  await ctx.db.patch(project._id, {
    designCount: project.designCount + (added.designs ?? 0),
    imageCount: project.imageCount + (added.images ?? 0),
    bytes: bytesIn([project]) + bytes,
    ...(added.images && { cover: await projectCover(ctx, project._id), ...(await chosenIn(ctx, project)) }),
    ...(reviews && { reviews: addReviewCounts(project.reviews, reviews) }),
    updatedAt: Date.now(),
  });
  if (project.removedAt === undefined) await changeUsage(ctx, project.ownerId, added);
}

/** `bytes`: those of an added version. */
export async function imageReplaced(ctx: MutationCtx, { design, project }: DesignPath, bytes = 0): Promise<void> {
  await imagesChanged(ctx, { design, project }, { images: 0, bytes });
  await ctx.db.patch(project._id, { cover: await projectCover(ctx, project._id), ...(await chosenIn(ctx, project)) });
}

export async function touch(ctx: MutationCtx, { design, project }: DesignPath): Promise<void> {
  const updatedAt = Date.now();
  await ctx.db.patch(design._id, { updatedAt });
  await ctx.db.patch(project._id, { updatedAt });
}

/** Returns the newest images. They are in the designs with the newest images, so `COVER_SIZE` designs suffice. */
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

export async function chosenIn(
  { db }: MutationCtx,
  row: Doc<"designs"> | Doc<"projects">,
): Promise<{ chosenCover?: Doc<"designs">["chosenCover"] }> {
  if (row.coverImageId === undefined) return {};
  const image = await db.get(row.coverImageId);
  const design = image && image.removedAt === undefined ? await db.get(image.designId) : null;
  const isInside = design !== null && design.removedAt === undefined && (design._id === row._id || design.projectId === row._id);
  return { chosenCover: image && isInside ? toCover(image) : undefined };
}

export function toCover(image: Doc<"designImages">): Doc<"designs">["cover"][number] {
  const { _id, _creationTime, placeholder, width, height, versionId, rotation } = image;
  const optional = { ...(versionId !== undefined && { versionId }), ...(rotation !== undefined && { rotation }) };
  return { imageId: _id, placeholder, width, height, addedAt: _creationTime, ...optional };
}
