import type { PaginationOptions, PaginationResult } from "convex/server";
import type { Doc } from "../../_generated/dataModel";
import type { ReaderCtx } from "../access";
import { addEarlierFavourites, type FavouriteList, favouritesIn, visibleFavourites } from "../items/favourites";
import { LIST_LIMIT, pageFrom, pageOf, type RowsQuery } from "./paging";
import { type ListSort, sortRows } from "./sorting";

type Item = Doc<"projects"> | Doc<"designs">;

/** The caller's favourites come first except in manual order. No index range can exclude them, because they differ by person. */
type FavouritesFirst<Row extends Item, Shape> = FavouriteList<Row> & {
  sort: ListSort;
  rows: () => RowsQuery<Row>;
  toShape: (row: Row, isFavourite: boolean) => Shape;
};

export async function firstRows<Row extends Item, Shape>(
  ctx: ReaderCtx,
  list: FavouritesFirst<Row, Shape>,
  only: true | undefined,
): Promise<Shape[]> {
  if (!only && list.sort === "manual") return marked(ctx, list, await list.rows().take(LIST_LIMIT));
  const favourites = await visibleFavourites(ctx, list);
  const shown = sortRows(favourites, list.sort).map((row) => list.toShape(row, true));
  if (only) return shown;
  const rows = without(favourites, await list.rows().take(LIST_LIMIT));
  return [...shown, ...rows.slice(0, LIST_LIMIT - shown.length).map((row) => list.toShape(row, false))];
}

/** Removes favourites from later pages, which are therefore shorter. A filter would invalidate the cursor at each change of a favourite. */
export async function pageOfRows<Row extends Item, Shape>(
  ctx: ReaderCtx,
  list: FavouritesFirst<Row, Shape>,
  options: PaginationOptions,
): Promise<PaginationResult<Shape>> {
  const { sort, rows } = list;
  if (sort === "manual") {
    const result = await pageFrom(rows, pageOf(options));
    return { ...result, page: await marked(ctx, list, result.page) };
  }
  if (options.cursor === null) {
    const favourites = await visibleFavourites(ctx, list);
    const { numItems } = pageOf(options, favourites.length);
    const result = await pageFrom(rows, { ...options, numItems: await rowsUntil(rows(), favourites, numItems) });
    const shown = sortRows(favourites, sort).map((row) => list.toShape(row, true));
    return { ...result, page: [...shown, ...without(favourites, result.page).map((row) => list.toShape(row, false))] };
  }
  const favourites = await favouritesIn(ctx, list.projectId);
  const { numItems, ...page } = pageOf(options);
  const result = await pageFrom(rows, { ...page, numItems: Math.max(numItems, favourites.size + 1) });
  await addEarlierFavourites(ctx, favourites, list.ownerId, result.page);
  return { ...result, page: result.page.filter(({ _id }) => !favourites.has(_id)).map((row) => list.toShape(row, false)) };
}

async function marked<Row extends Item, Shape>(
  ctx: ReaderCtx,
  { projectId, ownerId, toShape }: FavouritesFirst<Row, Shape>,
  rows: Row[],
): Promise<Shape[]> {
  const favourites = await favouritesIn(ctx, projectId);
  await addEarlierFavourites(ctx, favourites, ownerId, rows);
  return rows.map((row) => toShape(row, favourites.has(row._id)));
}

async function rowsUntil<Row extends { _id: string }>(query: RowsQuery<Row>, favourites: Row[], count: number): Promise<number> {
  if (favourites.length === 0) return count;
  const rows = await query.take(count + favourites.length);
  const last = without(favourites, rows)[count - 1];
  return last ? rows.indexOf(last) + 1 : count + favourites.length;
}

function without<Row extends { _id: string }>(favourites: Row[], rows: Row[]): Row[] {
  const ids = new Set(favourites.map(({ _id }) => _id));
  return rows.filter(({ _id }) => !ids.has(_id));
}
