import type { MutationCtx } from "../../_generated/server";
import type { ItemPath } from "../access";
import { notFound } from "../errors";
import { imageReplaced } from "../items/summaries";
import type { Rotation } from "./versionTables";

/** Sets the rotation of an image's current version; the file stays as it is. 0 is stored too: it is part of the image's URL. */
export async function rotateImage(ctx: MutationCtx, { project, design, image }: ItemPath, rotation: Rotation): Promise<void> {
  if (!image || !design) throw notFound();
  const isSideways = ((rotation - (image.rotation ?? 0)) / 90) % 2 !== 0;
  const { width, height } = image;
  const fields = { rotation, ...(isSideways && { width: height, height: width }) };
  await ctx.db.patch(image._id, fields);
  if (image.versionId !== undefined) await ctx.db.patch(image.versionId, fields);
  await imageReplaced(ctx, { project, design });
}
