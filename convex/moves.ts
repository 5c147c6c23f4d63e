import type { Doc } from "./_generated/dataModel";
import type { MutationCtx } from "./_generated/server";
import { recordActivity } from "./activity";
import { designFor, imageFor } from "./access";
import { designsOf, imagesOf, lastKey, lastKeys } from "./order";
import { designsChanged, imagesChanged } from "./summaries";

/** Moves between projects and between designs. Each costs the same however much is in what moves; both histories tell of it. */

type Ctx = MutationCtx & { user: Doc<"users">; session: Doc<"sessions"> };

/** A design into another project; where it is already, nothing happens. */
export async function moveDesign(
  ctx: Ctx,
  { design, project }: { design: Doc<"designs">; project: Doc<"projects"> },
  target: Doc<"projects">,
): Promise<void> {
  if (target._id === project._id) return;
  const told = { kind: "moved" as const, design, from: project.name, to: target.name };
  await recordActivity(ctx, { ...told, project });
  await ctx.db.patch(design._id, { projectId: target._id, orderKey: await lastKey(designsOf(ctx, target._id)), favouriteAt: undefined });
  await designsChanged(ctx, project, { designs: -1, images: -design.imageCount });
  await designsChanged(ctx, target, { designs: 1, images: design.imageCount });
  await recordActivity(ctx, { ...told, project: target });
}

/** Images, perhaps of several designs, into one design. Those that are there already stay where they stand. Throws "not_found" for any. */
export async function moveImages(ctx: Ctx, ids: string[], designId: string): Promise<void> {
  const { design: target } = await designFor(ctx, designId, "edit");
  const found = await Promise.all(ids.map((id) => imageFor(ctx, id, "edit")));
  const images = [...new Map(found.map(({ image }) => [image._id, image])).values()].filter(({ designId: from }) => from !== target._id);
  const keys = await lastKeys(imagesOf(ctx, target._id), images.length);
  for (const [index, { _id }] of images.entries()) await ctx.db.patch(_id, { designId: target._id, orderKey: keys[index] });

  // Each place is read anew, since what it is in may just have been written for the one before.
  for (const [from, group] of Map.groupBy(images, (image) => image.designId)) {
    const source = await designFor(ctx, from, "edit");
    await imagesChanged(ctx, source, -group.length);
    for (const image of group) await recordActivity(ctx, { kind: "moved", ...source, image, from: source.design.name, to: target.name });
  }
  if (images.length === 0) return;
  const place = await designFor(ctx, target._id, "edit");
  await imagesChanged(ctx, place, images.length);
  const [last] = images.slice(-1);
  if (last) await recordActivity(ctx, { kind: "moved", ...place, image: last, to: target.name, count: images.length });
}
