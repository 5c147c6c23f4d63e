import { clsx } from "clsx";
import { CircleAlert, CircleCheck, CircleDashed, Eye, type IconNode } from "lucide";
import { Icon } from "~/lib/ui/icons/icon";
import { type ReviewFilter, STATUS_NAMES } from "#convex/model/review/statuses";

export const STATUS_ICONS: Record<ReviewFilter, IconNode> = {
  none: CircleDashed,
  inReview: Eye,
  changesRequested: CircleAlert,
  approved: CircleCheck,
};

export function ReviewMark({ status, className }: { status: ReviewFilter; className?: string }) {
  return (
    <span className={clsx("inline-flex min-w-0 items-center gap-1", className)}>
      <Icon of={STATUS_ICONS[status]} className="size-3.5 shrink-0" />
      <span className="truncate">{STATUS_NAMES[status]}</span>
    </span>
  );
}

export function PictureReviewMark({ item: { review } }: { item: { review?: { status: ReviewFilter } } }) {
  if (!review) return null;
  return (
    <span
      title={STATUS_NAMES[review.status]}
      className="absolute end-1 bottom-1 flex max-w-[calc(100%-0.5rem)] rounded-sm bg-black/70 px-1.5 py-0.5 text-xs text-white"
    >
      <ReviewMark status={review.status} />
    </span>
  );
}
