export const SORT = "sort";

const LIST_SORTS = ["changed", "name", "created", "manual"] as const;
export type ListSort = (typeof LIST_SORTS)[number];

export function sortIn(url: URL): { sort?: ListSort } {
  const sort = LIST_SORTS.find((each) => each === url.searchParams.get(SORT));
  return sort === undefined || sort === "changed" ? {} : { sort };
}

export const FAVOURITES = "favourites";

export const viewIn = (url: URL): { sort?: ListSort; favourites?: true } => ({
  ...sortIn(url),
  ...(url.searchParams.has(FAVOURITES) && { favourites: true }),
});

export function imageSortIn(url: URL): { sort?: "name" | "created" } {
  const sort = url.searchParams.get(SORT);
  return sort === "name" || sort === "created" ? { sort } : {};
}
