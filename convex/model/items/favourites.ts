import { defineTable } from "convex/server";
import { v } from "convex/values";
import type { Doc, Id } from "../../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../../_generated/server";
import type { DesignGroup, UserMutationCtx } from "../access";
import { FAVOURITES_MAX, tooManyFavourites } from "../lists/sorting";
import { memberOf } from "../members";
import { isFavouritesUpgraded } from "../upgrades";

/** Favourites are rows per person (docs/decisions/174-favourites-per-person.md). */

export const favouriteTables = {
  favourites: defineTable({
    userId: v.string(),
    projectId: v.optional(v.id("projects")),
    itemId: v.union(v.id("projects"), v.id("designs")),
    favouriteAt: v.number(),
  })
    .index("by_list", ["projectId", "userId"])
    .index("by_item", ["itemId", "userId"])
    .index("by_user", ["userId"]),
};

type Item = Doc<"projects"> | Doc<"designs">;
type Person = Pick<QueryCtx, "db"> & { user: Pick<Doc<"users">, "id"> };
type Reader = Pick<QueryCtx, "db"> & { user: Person["user"] | null };

/** Maximum rows per list. Rows of trashed items are kept for a restoration, up to this number. */
const ROWS_MAX = 2 * FAVOURITES_MAX;

async function rowsIn({ db, user }: Reader, projectId: Id<"projects"> | undefined): Promise<Doc<"favourites">[]> {
  if (user === null) return [];
  return db
    .query("favourites")
    .withIndex("by_list", (q) => q.eq("projectId", projectId).eq("userId", user.id))
    .take(ROWS_MAX);
}

async function rowOfItem({ db, user }: Reader, itemId: Item["_id"]): Promise<Doc<"favourites"> | null> {
  if (user === null) return null;
  return db
    .query("favourites")
    .withIndex("by_item", (q) => q.eq("itemId", itemId).eq("userId", user.id))
    .first();
}

/** Returns when the user's favourites of a list were added, by item. `projectId` is absent for the list of projects. */
export async function favouritesIn(ctx: Reader, projectId: Id<"projects"> | undefined): Promise<Map<string, number>> {
  return new Map((await rowsIn(ctx, projectId)).map(({ itemId, favouriteAt }) => [itemId, favouriteAt]));
}

/** Adds favourites of an earlier build that are among `items`, until `upgrade.ts` has copied them. */
export async function addEarlierFavourites(ctx: Reader, favourites: Map<string, number>, ownerId: string, items: Item[]): Promise<void> {
  const isEarlier = (item: Item) => item.favouriteAt !== undefined && !favourites.has(item._id) && ownerOf(item, ownerId) === ctx.user?.id;
  const earlier = items.filter(isEarlier);
  if (earlier.length === 0 || (await isFavouritesUpgraded(ctx))) return;
  for (const { _id, favouriteAt = 0 } of earlier) favourites.set(_id, favouriteAt);
}

const ownerOf = (item: Item, ownerId: string): string => ("projectId" in item ? ownerId : item.ownerId);

type ItemPlace = { project: Doc<"projects">; design?: Doc<"designs"> };

export async function favouriteAtOf(ctx: Reader, { project, design }: ItemPlace): Promise<number | undefined> {
  const item = design ?? project;
  const row = await rowOfItem(ctx, item._id);
  if (row) return row.projectId === design?.projectId ? row.favouriteAt : undefined;
  const favourites = new Map<string, number>();
  await addEarlierFavourites(ctx, favourites, project.ownerId, [item]);
  return favourites.get(item._id);
}

export const visibleFavourites = async <Row extends Item>(ctx: Reader, list: FavouriteList<Row>): Promise<Row[]> =>
  visibleAmong(ctx, list, await rowsIn(ctx, list.projectId));

async function visibleAmong<Row extends Item>(
  ctx: Reader,
  { ownerId, itemOf, earlier }: FavouriteList<Row>,
  rows: Doc<"favourites">[],
): Promise<Row[]> {
  const items = await Promise.all(rows.map(({ itemId }) => itemOf(itemId)));
  const visible = items.filter((item) => item !== null);
  if (ownerId !== ctx.user?.id || (await isFavouritesUpgraded(ctx))) return visible;
  const known = new Set<string>(visible.map(({ _id }) => _id));
  return [...visible, ...(await earlier()).filter(({ _id }) => !known.has(_id))].slice(0, ROWS_MAX);
}

export type FavouriteList<Row extends Item> = {
  projectId: Id<"projects"> | undefined;
  ownerId: string;
  itemOf: (id: string) => Promise<Row | null>;
  earlier: () => Promise<Row[]>;
};

export const designsWithFavourites = ({ db }: Pick<QueryCtx, "db">, project: Doc<"projects">): FavouriteList<Doc<"designs">> => ({
  projectId: project._id,
  ownerId: project.ownerId,
  itemOf: async (id) => {
    const designId = db.normalizeId("designs", id);
    const design = designId && (await db.get(designId));
    return design && design.projectId === project._id && design.removedAt === undefined ? design : null;
  },
  earlier: () =>
    db
      .query("designs")
      .withIndex("by_age", (q) => q.eq("projectId", project._id).eq("removedAt", undefined).gt("favouriteAt", 0))
      .take(FAVOURITES_MAX),
});

export const projectsWithFavourites = ({ db, user }: Person): FavouriteList<Doc<"projects">> => ({
  projectId: undefined,
  ownerId: user.id,
  itemOf: async (id) => {
    const projectId = db.normalizeId("projects", id);
    const project = projectId && (await db.get(projectId));
    return project && project.ownerId === user.id && project.removedAt === undefined ? project : null;
  },
  earlier: () =>
    db
      .query("projects")
      .withIndex("by_age", (q) => q.eq("ownerId", user.id).eq("removedAt", undefined).gt("favouriteAt", 0))
      .take(FAVOURITES_MAX),
});

export const allProjectsWithFavourites = (ctx: Person): FavouriteList<Doc<"projects">> => ({
  ...projectsWithFavourites(ctx),
  itemOf: async (id) => {
    const projectId = ctx.db.normalizeId("projects", id);
    const project = projectId && (await ctx.db.get(projectId));
    if (!project || project.removedAt !== undefined) return null;
    return project.ownerId === ctx.user.id || (await memberOf(ctx, project._id, ctx.user.id)) ? project : null;
  },
});

/** Sets or removes favourites. `favouriteAt` returns a time, or undefined for removal. Throws "limit" above `FAVOURITES_MAX`. */
export async function setFavourites<Row extends Item>(
  ctx: UserMutationCtx,
  list: FavouriteList<Row>,
  items: Row[],
  favouriteAt: (item: Row) => number | undefined,
): Promise<void> {
  if (items.length === 0) return;
  const { projectId, ownerId } = list;
  const rows = await rowsIn(ctx, projectId);
  const current = new Map<string, number>(rows.map((row) => [row.itemId, row.favouriteAt]));
  await addEarlierFavourites(ctx, current, ownerId, items);
  const changing = items.filter((item) => current.has(item._id) !== (favouriteAt(item) !== undefined));
  const added = changing.filter((item) => favouriteAt(item) !== undefined);
  const ids = new Set<string>(changing.map(({ _id }) => _id));
  const [removed, kept] = [true, false].map((isRemoved) => rows.filter(({ itemId }) => ids.has(itemId) === isRemoved));
  for (const { _id } of removed ?? []) await ctx.db.delete(_id);
  if (added.length > 0) await makeRoom(ctx, list, kept ?? [], added.length);
  for (const item of changing) {
    const at = favouriteAt(item);
    if (at !== undefined) await insertFavourite(ctx, item, at);
    // The previous build reads the owner's favourites from the items.
    if (ownerOf(item, ownerId) === ctx.user.id) await ctx.db.patch(item._id, { favouriteAt: at });
  }
}

async function insertFavourite(ctx: UserMutationCtx, item: Item, favouriteAt: number): Promise<void> {
  // Another member may have moved a design away from the list that has its row.
  const elsewhere = "projectId" in item ? await rowOfItem(ctx, item._id) : null;
  if (elsewhere) await ctx.db.delete(elsewhere._id);
  await ctx.db.insert("favourites", rowOf(ctx.user.id, item, favouriteAt));
}

const rowOf = (userId: string, item: Item, favouriteAt: number) => ({
  userId,
  ...("projectId" in item && { projectId: item.projectId }),
  itemId: item._id,
  favouriteAt,
});

async function makeRoom<Row extends Item>(
  ctx: UserMutationCtx,
  list: FavouriteList<Row>,
  rows: Doc<"favourites">[],
  count: number,
): Promise<void> {
  const visible = new Set<string>((await visibleAmong(ctx, list, rows)).map(({ _id }) => _id));
  if (visible.size + count > FAVOURITES_MAX) throw tooManyFavourites();
  const evicted = rows.filter(({ itemId }) => !visible.has(itemId)).slice(0, Math.max(0, rows.length + count - ROWS_MAX));
  for (const { _id } of evicted) await ctx.db.delete(_id);
}

/** Throws "limit" if a project would have more than `FAVOURITES_MAX` favourites. */
export async function favouriteDesigns(ctx: UserMutationCtx, groups: DesignGroup[], favourite: boolean): Promise<void> {
  for (const { designs, project } of groups)
    await setFavourites(ctx, designsWithFavourites(ctx, project), designs, () => (favourite ? Date.now() : undefined));
}

/** Removes the user's favourites of designs that leave the project. Other people's favourites apply again when the designs return. */
export async function removeFavouritesOfMoved(
  ctx: Reader & MutationCtx,
  project: Doc<"projects">,
  designs: Doc<"designs">[],
): Promise<void> {
  const ids = new Set<string>(designs.map(({ _id }) => _id));
  for (const { _id, itemId } of await rowsIn(ctx, project._id)) if (ids.has(itemId)) await ctx.db.delete(_id);
}

export async function copyFavourite({ db }: MutationCtx, ownerId: string, copy: Item, favouriteAt: number): Promise<void> {
  await db.insert("favourites", rowOf(ownerId, copy, favouriteAt));
}

export async function upgradeFavourite({ db }: MutationCtx, item: Item): Promise<void> {
  const { favouriteAt } = item;
  if (favouriteAt === undefined) return;
  const project = "projectId" in item ? await db.get(item.projectId) : item;
  if (!project) return;
  const reader = { db, user: { id: project.ownerId } };
  if (await rowOfItem(reader, item._id)) return;
  const rows = await rowsIn(reader, "projectId" in item ? item.projectId : undefined);
  // Earlier builds kept any number of favourites in the trash, which must not displace visible favourites.
  if (rows.length >= (item.removedAt === undefined ? ROWS_MAX : FAVOURITES_MAX)) return;
  await db.insert("favourites", rowOf(project.ownerId, item, favouriteAt));
}

/** Copies a former owner's favourite from the item into a row. Returns the new owner's favourite, which replaces it in the item. */
export async function favouriteOfNewOwner(ctx: MutationCtx, item: Item, fromId: string, toId: string): Promise<number | undefined> {
  const { favouriteAt, _id } = item;
  const [former, next] = [fromId, toId].map((id) => ({ db: ctx.db, user: { id } }));
  if (favouriteAt !== undefined && former && !(await rowOfItem(former, _id)) && !(await isFavouritesUpgraded(ctx)))
    await ctx.db.insert("favourites", rowOf(fromId, item, favouriteAt));
  return next && (await rowOfItem(next, _id))?.favouriteAt;
}

export async function deleteFavourites({ db }: MutationCtx, itemId: Item["_id"], limit: number): Promise<number> {
  const rows = await db
    .query("favourites")
    .withIndex("by_item", (q) => q.eq("itemId", itemId))
    .take(limit);
  for (const { _id } of rows) await db.delete(_id);
  return rows.length;
}
