import { v } from "convex/values";
import type { z } from "zod";
import type { Doc } from "../../_generated/dataModel";
import type { ActivityKind } from "../activities/activityShape";
import { recordActivity } from "../activities/recordActivity";
import { imageFor, type ItemPath, projectFor, undoableMutation, type UserMutationCtx } from "../access";
import { check } from "../check";
import { notFound, stale } from "../errors";
import { allProjectsWithFavourites, designsWithFavourites, setFavourites } from "./favourites";
import { designsOf, imagesOf, type List, reorderRow, projectsOf, sortNameOf } from "../lists/order";
import { reorderArgs, targetOf } from "../lists/targets";
import { cleanName, cleanText } from "../names";
import type { Right } from "../rights";
import { describe } from "../rules";
import { searchWords } from "../search/words";
import { toCover, touch } from "./summaries";

type Item = Doc<"projects"> | Doc<"designs"> | Doc<"designImages">;

type FindItem<Found> = (ctx: UserMutationCtx, id: string, right: Right) => Promise<Found>;

export const projectPathFor: FindItem<{ project: Doc<"projects"> }> = async (ctx, id, right) => ({
  project: await projectFor(ctx, id, right),
});

const itemIn = ({ project, design, image }: ItemPath): Item => image ?? design ?? project;

export function nameFields(name: string, item: Parameters<typeof searchWords>[0] = { name }) {
  return { name, sortName: sortNameOf(name), words: searchWords({ ...item, name }) };
}

/** The form's initial text. Forms of earlier builds omit it. */
export const from = v.optional(v.string());

/** Throws "conflict" with the stored text if it equals neither the form's initial text nor the new text. */
export function expectFrom(started: string | undefined, stored: string, next: string, clean: (text: string) => string): void {
  if (started !== undefined && clean(started) !== clean(stored) && next !== stored) throw stale(stored);
}

export const trashItem = <Found>(
  find: FindItem<Found>,
  trash: (ctx: UserMutationCtx, found: Found) => Promise<null>,
  right: "delete" | "deleteProject" = "delete",
) =>
  undoableMutation({
    args: { id: v.string() },
    returns: v.null(),
    handler: async (ctx, { id }) => trash(ctx, await find(ctx, id, right)),
  });

export const renameItem = (find: FindItem<ItemPath>, rule: z.ZodType<{ name: string }>) =>
  undoableMutation({
    args: { id: v.string(), name: v.string(), from },
    returns: v.null(),
    handler: async (ctx, args) => {
      const path = await find(ctx, args.id, "edit");
      const { name } = check(rule, args);
      const item = itemIn(path);
      expectFrom(args.from, item.name, name, cleanName);
      await changeText(ctx, path, nameFields(name, item), { kind: "renamed", from: item.name, to: name });
      return null;
    },
  });

export const describeItem = (find: FindItem<{ project: Doc<"projects">; design?: Doc<"designs"> }>) =>
  undoableMutation({
    args: { id: v.string(), description: v.string(), from },
    returns: v.null(),
    handler: async (ctx, args) => {
      const path = await find(ctx, args.id, "edit");
      const { description } = check(describe, args);
      const item = path.design ?? path.project;
      expectFrom(args.from, item.description ?? "", description, cleanText);
      const words = searchWords({ ...item, description });
      await changeText(ctx, path, { description: description || undefined, words }, { kind: "described" });
      return null;
    },
  });

export async function changeText(
  ctx: UserMutationCtx,
  path: ItemPath,
  fields: { name?: string; sortName?: string; description?: string | undefined; caption?: string | undefined; words: string },
  activity: { kind: ActivityKind; from?: string; to?: string },
): Promise<void> {
  const { project, design } = path;
  const stored: Record<string, unknown> = itemIn(path);
  if (Object.entries(fields).every(([field, value]) => stored[field] === value)) return;
  if (design) {
    await ctx.db.patch(itemIn(path)._id, fields);
    await touch(ctx, { project, design });
  } else await ctx.db.patch(project._id, { ...fields, updatedAt: Date.now() });
  await recordActivity(ctx, { ...activity, ...path });
}

/** Requires only the right to view the item, because favourites are the user's own. */
export const favouriteItem = (find: FindItem<{ project: Doc<"projects">; design?: Doc<"designs"> }>) =>
  undoableMutation({
    args: { id: v.string(), favourite: v.boolean() },
    returns: v.null(),
    handler: async (ctx, { id, favourite }) => {
      const { project, design } = await find(ctx, id, "view");
      const favouriteAt = () => (favourite ? Date.now() : undefined);
      if (design) await setFavourites(ctx, designsWithFavourites(ctx, project), [design], favouriteAt);
      else await setFavourites(ctx, allProjectsWithFavourites(ctx), [project], favouriteAt);
      return null;
    },
  });

export const coverItem = (find: FindItem<{ project: Doc<"projects">; design?: Doc<"designs"> }>) =>
  undoableMutation({
    args: { id: v.string(), imageId: v.optional(v.string()) },
    returns: v.null(),
    handler: async (ctx, { id, imageId }) => {
      const path = await find(ctx, id, "edit");
      const item = path.design ?? path.project;
      const chosen = imageId === undefined ? null : await imageFor(ctx, imageId, "view");
      if (chosen && chosen.design._id !== item._id && chosen.project._id !== item._id) throw notFound();
      await ctx.db.patch(item._id, { coverImageId: chosen?.image._id, chosenCover: chosen ? toCover(chosen.image) : undefined });
      if (item.coverImageId === chosen?.image._id) return null;
      await recordActivity(ctx, { kind: "covered", ...path, ...(chosen && { to: chosen.image.name, toId: chosen.image._id }) });
      return null;
    },
  });

export const reorderItem = (find: FindItem<ItemPath>, right: "edit" | "arrange" = "edit") =>
  undoableMutation({
    args: reorderArgs,
    returns: v.null(),
    handler: async (ctx, args) => {
      const path = await find(ctx, args.id, right);
      const target = await targetOf(args, async (neighbourId) => {
        const neighbour = await find(ctx, neighbourId, "view");
        if (parentOf(neighbour) !== parentOf(path)) throw notFound();
        return itemIn(neighbour);
      });
      const isMoved = await reorderRow(ctx, listOf(ctx, path), itemIn(path), target);
      if (isMoved && path.design) await recordActivity(ctx, { kind: "reordered", ...path });
      return null;
    },
  });

const parentOf = ({ project, design, image }: ItemPath): string => (image && design ? design._id : design ? project._id : project.ownerId);

function listOf(ctx: UserMutationCtx, { project, design, image }: ItemPath): List {
  if (image && design) return imagesOf(ctx, design._id);
  return design ? designsOf(ctx, project._id) : projectsOf(ctx, project.ownerId);
}
