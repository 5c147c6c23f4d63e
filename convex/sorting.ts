import { type Infer, v } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import { limit } from "./errors";

/**
 * The orders in which lists come. Favourites stand before all others, in the same order, but not where the order is made by hand. Each order
 * has an index of its own, so that a page of any of them reads its own rows.
 */
const listSort = v.union(v.literal("changed"), v.literal("name"), v.literal("created"), v.literal("manual"));
export type ListSort = Infer<typeof listSort>;

/** The optional argument of the lists of projects and designs; without it what changed last comes first. */
export const sortArg = v.optional(listSort);

/** Images come in the order made by hand unless another is asked for. */
export const imageSortArg = v.optional(v.union(v.literal("manual"), v.literal("name"), v.literal("created")));
export type ImageSort = NonNullable<Infer<typeof imageSortArg>>;

/** How many favourites somebody may have in a list, since they all come with its first page. */
export const FAVOURITES_MAX = 50;

export function tooManyFavourites() {
  return limit(`There can be ${FAVOURITES_MAX} favourites in a list at most. Take one out first.`);
}

type Row = Pick<Doc<"projects">, "updatedAt" | "_creationTime" | "sortName">;

/** Favourites in the order of their list. */
export function sorted<Each extends Row>(rows: Each[], sort: ListSort): Each[] {
  switch (sort) {
    case "name":
      return rows.toSorted((a, b) => compare(a.sortName ?? "", b.sortName ?? "") || a._creationTime - b._creationTime);
    case "created":
      return rows.toSorted((a, b) => b._creationTime - a._creationTime);
    default:
      return rows.toSorted((a, b) => b.updatedAt - a.updatedAt);
  }
}

/** As indexes compare texts: by their bytes, whatever the language. */
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
