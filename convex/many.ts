import { v } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import { designsFor, imagesFor, projectFor, trashedFor, userMutation, type UserMutationCtx, userQuery } from "./access";
import { check } from "./check";
import { moveDesigns as moveAll } from "./moves";
import { many, tagMany } from "./rules";
import { FAVOURITES_MAX, tooManyFavourites } from "./sorting";
import { addTagsToAll, type Place, removeTagsFromAll } from "./tagging";
import { restoreMany, trashDesigns as trashAllDesigns, trashImages as trashAllImages } from "./trashing";

/**
 * What is done to several things at once, which are all of one kind. Each is one mutation: with "not_found" for any of them, as a missing or a
 * foreign one, nothing is done to the others either. At most `MANY_MAX`, else "invalid".
 */

const args = { ids: v.array(v.string()) };

/** Puts images, perhaps of several designs, in the trash. */
export const trashImages = userMutation({
  args,
  returns: v.null(),
  handler: async (ctx, args) => trashAllImages(ctx, await imagesFor(ctx, check(many, args).ids, "edit")),
});

/** Puts designs in the trash, each with its images. */
export const trashDesigns = userMutation({
  args,
  returns: v.null(),
  handler: async (ctx, args) => trashAllDesigns(ctx, await designsFor(ctx, check(many, args).ids, "edit")),
});

/** Puts designs into another project, at its end and in this order. */
export const moveDesigns = userMutation({
  args: { ...args, projectId: v.string() },
  returns: v.null(),
  handler: async (ctx, { projectId, ...args }) => {
    const target = await projectFor(ctx, projectId, "edit");
    await moveAll(ctx, await designsFor(ctx, check(many, args).ids, "edit"), target);
    return null;
  },
});

/** Makes designs favourites of their project, or no longer. Throws "limit" beyond `FAVOURITES_MAX` in a project. */
export const favouriteDesigns = userMutation({
  args: { ...args, favourite: v.boolean() },
  returns: v.null(),
  handler: async (ctx, { favourite, ...args }) => {
    for (const { designs, project } of await designsFor(ctx, check(many, args).ids, "edit")) {
      const changing = designs.filter(({ favouriteAt }) => favourite === (favouriteAt === undefined));
      const there = await ctx.db
        .query("designs")
        .withIndex("by_age", (q) => q.eq("projectId", project._id).eq("removedAt", undefined).gt("favouriteAt", 0))
        .take(FAVOURITES_MAX);
      if (favourite && there.length + changing.length > FAVOURITES_MAX) throw tooManyFavourites();
      for (const { _id } of changing) await ctx.db.patch(_id, { favouriteAt: favourite ? Date.now() : undefined });
    }
    return null;
  },
});

/** What puts a tag, or several parted by commas, on things or takes them off: on all of them, wherever each is. */
function tagging(
  placesFor: (ctx: UserMutationCtx, ids: string[]) => Promise<Place[]>,
  change: (ctx: UserMutationCtx, places: Place[], labels: string[]) => Promise<void>,
) {
  return userMutation({
    args: { ...args, tag: v.string() },
    returns: v.null(),
    handler: async (ctx, args) => {
      const { ids, tag } = check(tagMany, args);
      await change(ctx, await placesFor(ctx, ids), tag);
      return null;
    },
  });
}

async function imagePlaces(ctx: UserMutationCtx, ids: string[]): Promise<Place[]> {
  const groups = await imagesFor(ctx, ids, "edit");
  return groups.flatMap(({ images, ...place }) => images.map((image) => ({ ...place, image })));
}

async function designPlaces(ctx: UserMutationCtx, ids: string[]): Promise<Place[]> {
  const groups = await designsFor(ctx, ids, "edit");
  return groups.flatMap(({ designs, project }) => designs.map((design) => ({ design, project })));
}

/** Puts tags on images; what has one already stays as it is. Throws "invalid" for the tag, "limit" where one of them would have too many. */
export const tagImages = tagging(imagePlaces, addTagsToAll);

/** Takes tags off images; those that have them not are no error. */
export const untagImages = tagging(imagePlaces, removeTagsFromAll);

/** Puts tags on designs, as `tagImages` does. */
export const tagDesigns = tagging(designPlaces, addTagsToAll);

/** Takes tags off designs, as `untagImages` does. */
export const untagDesigns = tagging(designPlaces, removeTagsFromAll);

/** Brings back what went to the trash together. Throws "conflict" where what something was in is in the trash too. */
export const restore = userMutation({
  args,
  returns: v.null(),
  handler: async (ctx, args) => restoreMany(ctx, await Promise.all([...new Set(check(many, args).ids)].map((id) => trashedFor(ctx, id)))),
});

/** What several images, or designs, are called together: as the design, or the project, that all of them are in. */
export const getName = userQuery({
  args: { ...args, kind: v.union(v.literal("image"), v.literal("design")) },
  returns: v.string(),
  handler: async (ctx, { kind, ...args }) => {
    const { ids } = check(many, args);
    if (kind === "design") return common((await designsFor(ctx, ids, "view")).map(({ project }) => project)) ?? "Designs";
    const groups = await imagesFor(ctx, ids, "view");
    return common(groups.map(({ design }) => design)) ?? common(groups.map(({ project }) => project)) ?? "Images";
  },
});

/** The name of the one place that all of these are. */
function common(places: (Doc<"projects"> | Doc<"designs">)[]): string | null {
  const [first] = places;
  return first && places.every(({ _id }) => _id === first._id) ? first.name : null;
}
