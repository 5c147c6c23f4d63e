import type { Doc, Id } from "../../_generated/dataModel";
import type { MutationCtx } from "../../_generated/server";
import { bytesIn, bytesOfFile } from "./imageBytes";
import { VERSIONS_MAX } from "../rules";

/** Stores the bytes of images that have none, and adds them to the designs and projects that count these images. */
export async function countBytes(ctx: MutationCtx, images: readonly Doc<"designImages">[]): Promise<void> {
  const added = new Map<Id<"designs">, number>();
  for (const image of images) {
    const files = image.versionId === undefined ? [image] : await versionsOf(ctx, image._id);
    const bytes = files.reduce((sum, file) => sum + bytesOfFile(file), 0);
    await ctx.db.patch(image._id, { bytes });
    if (image.removedAt === undefined) added.set(image.designId, (added.get(image.designId) ?? 0) + bytes);
  }
  for (const [designId, bytes] of added) {
    const design = await ctx.db.get(designId);
    if (!design) continue;
    await ctx.db.patch(designId, { bytes: bytesIn([design]) + bytes });
    const project = design.removedAt === undefined ? await ctx.db.get(design.projectId) : null;
    if (project) await ctx.db.patch(project._id, { bytes: bytesIn([project]) + bytes });
  }
}

const versionsOf = (ctx: MutationCtx, imageId: Id<"designImages">): Promise<Doc<"imageVersions">[]> =>
  ctx.db
    .query("imageVersions")
    .withIndex("by_image", (q) => q.eq("imageId", imageId))
    .take(VERSIONS_MAX);
