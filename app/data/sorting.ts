/** The search parameter that says in which order a list comes. */
export const SORT = "sort";

const LIST_SORTS = ["changed", "name", "created", "manual"] as const;
export type ListSort = (typeof LIST_SORTS)[number];

/** The order that an address asks for; undefined: the list's own. */
export function sortIn(url: URL): { sort?: ListSort } {
  const sort = LIST_SORTS.find((each) => each === url.searchParams.get(SORT));
  return sort === undefined || sort === "changed" ? {} : { sort };
}

/** The same of a design's images, whose own order is the one made by hand. */
export function imageSortIn(url: URL): { sort?: "name" | "created" } {
  const sort = url.searchParams.get(SORT);
  return sort === "name" || sort === "created" ? { sort } : {};
}
