import { isReviewFilter, type ReviewFilter } from "#convex/model/review/statuses";

export const SORT = "sort";

const LIST_SORTS = ["changed", "name", "created", "manual"] as const;
export type ListSort = (typeof LIST_SORTS)[number];

export function sortIn(url: URL): { sort?: ListSort } {
  const sort = LIST_SORTS.find((each) => each === url.searchParams.get(SORT));
  return sort === undefined || sort === "changed" ? {} : { sort };
}

export const FAVOURITES = "favourites";

export const REVIEW = "review";

export function reviewIn(url: URL): { review?: ReviewFilter } {
  const review = url.searchParams.get(REVIEW);
  return isReviewFilter(review) ? { review } : {};
}

export const viewIn = (url: URL): { sort?: ListSort; favourites?: true } => ({
  ...sortIn(url),
  ...(url.searchParams.has(FAVOURITES) && { favourites: true }),
});

const IMAGE_SORTS = ["name", "name-desc", "created", "created-asc", "size", "size-asc", "type", "type-desc"] as const;

export function imageSortIn(url: URL): { sort?: (typeof IMAGE_SORTS)[number] } {
  const sort = IMAGE_SORTS.find((each) => each === url.searchParams.get(SORT));
  return sort === undefined ? {} : { sort };
}
