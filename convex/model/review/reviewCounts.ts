import type { Doc } from "../../_generated/dataModel";
import type { ProjectReviews, ReviewCounts } from "./reviewTables";
import { REVIEW_STATUSES } from "./statuses";

type Reviewed = Pick<Doc<"designs"> | Doc<"designImages">, "review">;

export const noReviews = (): ReviewCounts => ({ inReview: 0, changesRequested: 0, approved: 0 });

/** Counts statuses; `sign` is -1 for items that leave. Returns undefined if none has a status, so that callers write no counts. */
export function countsOf(items: readonly Reviewed[], sign: 1 | -1): ReviewCounts | undefined {
  const counts = noReviews();
  for (const { review } of items) if (review) counts[review.status] += sign;
  return orUndefined(counts);
}

export function countsOfDesigns(designs: readonly Doc<"designs">[], sign: 1 | -1): Partial<ProjectReviews> | undefined {
  const own = countsOf(designs, sign);
  const inside = designs.reduce((sum, { imageReviews }) => (imageReviews ? sumOf(sum, imageReviews, sign) : sum), noReviews());
  const images = orUndefined(inside);
  return own || images ? { ...(own && { designs: own }), ...(images && { images }) } : undefined;
}

export function sumOf(counts: ReviewCounts | undefined, added: ReviewCounts | undefined, sign: 1 | -1 = 1): ReviewCounts {
  const sum = noReviews();
  for (const status of REVIEW_STATUSES) sum[status] = (counts?.[status] ?? 0) + sign * (added?.[status] ?? 0);
  return sum;
}

export const addReviewCounts = (reviews: ProjectReviews | undefined, added: Partial<ProjectReviews>): ProjectReviews => ({
  designs: sumOf(reviews?.designs, added.designs),
  images: sumOf(reviews?.images, added.images),
});

export function changedImageReviews(design: Doc<"designs">, added: ReviewCounts): Pick<Doc<"designs">, "imageReviews" | "reviewedImages"> {
  const imageReviews = sumOf(design.imageReviews, added);
  const reviewedImages = totalOf(imageReviews);
  return { imageReviews, reviewedImages: reviewedImages === 0 ? undefined : reviewedImages };
}

const totalOf = (counts: ReviewCounts | undefined): number => (counts ? REVIEW_STATUSES.reduce((sum, each) => sum + counts[each], 0) : 0);

const orUndefined = (counts: ReviewCounts): ReviewCounts | undefined =>
  REVIEW_STATUSES.some((each) => counts[each] !== 0) ? counts : undefined;
