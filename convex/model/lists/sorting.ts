import { type Infer, v } from "convex/values";
import type { Doc } from "../../_generated/dataModel";
import { limit } from "../errors";

/** Each order has its own index, so a page reads only its rows. Favourites come first except in manual order. */
const listSort = v.union(v.literal("changed"), v.literal("name"), v.literal("created"), v.literal("manual"));
export type ListSort = Infer<typeof listSort>;

export const sortArg = v.optional(listSort);

/** "created" is newest first, "size" largest first; the second of each pair is the reverse. */
export const imageSortArg = v.optional(
  v.union(
    v.literal("manual"),
    v.literal("name"),
    v.literal("name-desc"),
    v.literal("created"),
    v.literal("created-asc"),
    v.literal("size"),
    v.literal("size-asc"),
    v.literal("type"),
    v.literal("type-desc"),
  ),
);
export type ImageSort = NonNullable<Infer<typeof imageSortArg>>;

/** Limited because the first page always includes all favourites. */
export const FAVOURITES_MAX = 50;

export function tooManyFavourites() {
  return limit(`A list can have at most ${FAVOURITES_MAX} favourites. Remove one first.`);
}

type Row = Pick<Doc<"projects">, "updatedAt" | "_creationTime" | "sortName" | "orderKey">;

export function sortRows<Each extends Row>(rows: Each[], sort: ListSort): Each[] {
  switch (sort) {
    case "name":
      return rows.toSorted((a, b) => compare(a.sortName ?? "", b.sortName ?? "") || a._creationTime - b._creationTime);
    case "manual":
      return rows.toSorted((a, b) => compare(a.orderKey ?? "", b.orderKey ?? "") || a._creationTime - b._creationTime);
    case "created":
      return rows.toSorted((a, b) => b._creationTime - a._creationTime);
    default:
      return rows.toSorted((a, b) => b.updatedAt - a.updatedAt || b._creationTime - a._creationTime);
  }
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
