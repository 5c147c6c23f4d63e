import type { DesignGroup, UserMutationCtx } from "./access";
import { FAVOURITES_MAX, tooManyFavourites } from "./lists/sorting";

/** Throws "limit" if a project would have more than `FAVOURITES_MAX` favourites. */
export async function favouriteDesigns(ctx: UserMutationCtx, groups: DesignGroup[], favourite: boolean): Promise<void> {
  for (const { designs, project } of groups) {
    const changing = designs.filter(({ favouriteAt }) => favourite === (favouriteAt === undefined));
    const favourites = await ctx.db
      .query("designs")
      .withIndex("by_age", (q) => q.eq("projectId", project._id).eq("removedAt", undefined).gt("favouriteAt", 0))
      .take(FAVOURITES_MAX);
    if (favourite && favourites.length + changing.length > FAVOURITES_MAX) throw tooManyFavourites();
    for (const { _id } of changing) await ctx.db.patch(_id, { favouriteAt: favourite ? Date.now() : undefined });
  }
}
