import type { Right } from "../rights";

/** The statuses that an item can be given. An item without a review has none. Pages import this file too. */
export const REVIEW_STATUSES = ["inReview", "changesRequested", "approved"] as const;
export type ReviewStatus = (typeof REVIEW_STATUSES)[number];
export const REVIEW_FILTERS = ["none", ...REVIEW_STATUSES] as const;
export type ReviewFilter = (typeof REVIEW_FILTERS)[number];

export const STATUS_NAMES: Readonly<Record<ReviewFilter, string>> = {
  none: "No status",
  inReview: "In review",
  changesRequested: "Changes requested",
  approved: "Approved",
};

export const isAnswer = (status: ReviewFilter): boolean => status === "approved" || status === "changesRequested";

export const storedStatus = (filter: ReviewFilter): ReviewStatus | undefined => (filter === "none" ? undefined : filter);

export const rightToSet = (status: ReviewFilter): Right => (isAnswer(status) ? "review" : "edit");

export const REVIEW_NOTE_MAX = 1000;

type Counts = Readonly<Record<ReviewStatus, number>>;

export function countWith(filter: ReviewFilter | undefined, all: number, counts: Counts | undefined): number {
  if (filter === undefined) return all;
  const reviewed = REVIEW_STATUSES.reduce((sum, status) => sum + (counts?.[status] ?? 0), 0);
  return filter === "none" ? Math.max(0, all - reviewed) : (counts?.[filter] ?? 0);
}

export const isReviewFilter = (value: unknown): value is ReviewFilter => REVIEW_FILTERS.some((each) => each === value);
