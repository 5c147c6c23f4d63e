import type { Doc, Id } from "../../_generated/dataModel";
import { recordActivity } from "../activities/recordActivity";
import { copyDesigns, copyImages } from "../../jobs/copies";
import {
  type DesignGroup,
  designFor,
  type DesignPath,
  expectRight,
  type ImageGroup,
  imagesFor,
  projectFor,
  type UserMutationCtx,
} from "../access";
import { recordArrivals } from "../comments/unread";
import { removeFavouritesOfMoved } from "./favourites";
import { designsOf, imagesOf, lastKey, lastKeys } from "../lists/order";
import { moveRequestsOfDesigns, moveRequestsOfImages } from "../review/requests";
import { designsChanged, imagesChanged, sumOfDesigns, sumOfImages } from "./summaries";
import { expectSettled } from "../transfers/transfers";
import { trashImages } from "./trashing";

/** A move costs the same however much the item contains. To another owner it is a copy, after which the item moves to the trash. */

type Ctx = UserMutationCtx;

export async function moveDesign(ctx: Ctx, { design, project }: DesignPath, target: Doc<"projects">): Promise<void> {
  if (target._id === project._id) return;
  if (target.ownerId !== project.ownerId) return moveDesigns(ctx, [{ designs: [design], project }], target);
  await expectSettled(ctx, project._id);
  const named = { from: project.name, fromId: project._id, to: target.name, toId: target._id };
  const activity = { kind: "moved" as const, design, ...named };
  await recordActivity(ctx, { ...activity, project });
  await removeFavouritesOfMoved(ctx, project, [design]);
  await ctx.db.patch(design._id, { projectId: target._id, orderKey: await lastKey(designsOf(ctx, target._id)), favouriteAt: undefined });
  await moveRequestsOfDesigns(ctx, [design], target._id);
  await designsChanged(ctx, project, sumOfDesigns([design], -1));
  await designsChanged(ctx, target, sumOfDesigns([design], 1));
  await recordArrivals(ctx, target._id, [design]);
  await recordActivity(ctx, { ...activity, project: target });
}

export async function moveDesigns(ctx: Ctx, groups: DesignGroup[], { _id: targetId }: Doc<"projects">): Promise<void> {
  const fresh = (id: Id<"projects">) => projectFor(ctx, id, "edit");
  for (const { designs, project } of groups) {
    const [last] = designs.slice(-1);
    if (project._id === targetId || !last) continue;
    const target = await fresh(targetId);
    if (target.ownerId !== project.ownerId) {
      await expectRight(ctx, project, "delete");
      await copyDesigns(ctx, [{ designs, project }], target, { isMove: true });
      continue;
    }
    await expectSettled(ctx, project._id);
    const keys = await lastKeys(designsOf(ctx, targetId), designs.length);
    const named = { from: project.name, fromId: project._id, to: target.name, toId: target._id };
    const activity = { kind: "moved" as const, design: last, ...named, count: designs.length };
    await recordActivity(ctx, { ...activity, project });
    await removeFavouritesOfMoved(ctx, project, designs);
    for (const [index, { _id }] of designs.entries()) {
      await ctx.db.patch(_id, { projectId: targetId, orderKey: keys[index], favouriteAt: undefined });
    }
    await moveRequestsOfDesigns(ctx, designs, targetId);
    await designsChanged(ctx, await fresh(project._id), sumOfDesigns(designs, -1));
    await designsChanged(ctx, target, sumOfDesigns(designs, 1));
    await recordArrivals(ctx, target._id, designs);
    await recordActivity(ctx, { ...activity, project: target });
  }
}

export async function moveImages(ctx: Ctx, ids: string[], designId: string): Promise<void> {
  const { design: target, project } = await designFor(ctx, designId, "edit");
  const all = (await imagesFor(ctx, ids, "edit")).filter(({ design }) => design._id !== target._id);
  const isForeign = (group: ImageGroup) => group.project.ownerId !== project.ownerId;
  await moveToOtherOwner(ctx, ids, all.filter(isForeign), designId);
  const groups = all.filter((group) => !isForeign(group));
  for (const id of new Set(groups.map((group) => group.project._id))) await expectSettled(ctx, id);
  const order = new Map([...new Set(ids)].map((id, index) => [id, index]));
  const images = groups.flatMap((group) => group.images).toSorted((a, b) => (order.get(a._id) ?? 0) - (order.get(b._id) ?? 0));
  const keys = await lastKeys(imagesOf(ctx, target._id), images.length);
  for (const [index, { _id }] of images.entries()) await ctx.db.patch(_id, { designId: target._id, orderKey: keys[index] });
  await moveRequestsOfImages(ctx, images, target);

  for (const { design, images: group } of groups) {
    const [last] = group.slice(-1);
    const source = await designFor(ctx, design._id, "edit");
    await imagesChanged(ctx, source, sumOfImages(group, -1));
    const named = { from: design.name, fromId: design._id, to: target.name, toId: target._id };
    if (last) await recordActivity(ctx, { kind: "moved", ...source, image: last, ...named, count: group.length });
  }
  const [last] = images.slice(-1);
  if (!last) return;
  const destination = await designFor(ctx, target._id, "edit");
  await imagesChanged(ctx, destination, sumOfImages(images, 1));
  await recordArrivals(ctx, target._id, images);
  await recordArrivals(ctx, project._id, images);
  await recordActivity(ctx, { kind: "moved", ...destination, image: last, to: target.name, toId: target._id, count: images.length });
}

async function moveToOtherOwner(ctx: Ctx, ids: string[], groups: ImageGroup[], designId: string): Promise<void> {
  if (groups.length === 0) return;
  for (const { project } of groups) await expectRight(ctx, project, "delete");
  await copyImages(ctx, [...new Set(ids)], groups, await designFor(ctx, designId, "edit"));
  await trashImages(ctx, groups);
}
