import { clsx } from "clsx";
import type { FunctionReturnType } from "convex/server";
import { useMayRun } from "~/lib/rights/rights";
import { isolate } from "~/lib/ui/isolate";
import { DialogButton } from "~/lib/ui/overlays/dialog";
import { CalendarDay } from "~/lib/ui/time/day";
import { RelativeTime } from "~/lib/ui/time/relative-time";
import type { api } from "#convex/_generated/api";
import { pageDialogOf } from "./review-dialog";
import { ReviewMark } from "./review-mark";

type ReviewDetails = FunctionReturnType<typeof api.reviews.getReview>;
type Request = NonNullable<ReviewDetails>["requests"][number];

export function ReviewSection({ item, review }: { item: { _id: string }; review: ReviewDetails }) {
  const mayReview = useMayRun()("reviewItem");
  if (!review && !mayReview) return null;
  return (
    <section aria-label="Review" className={clsx("grid justify-items-start gap-1.5 text-sm", review && "basis-full")}>
      <div className="flex flex-wrap items-center gap-x-2">
        {review ? <ReviewMark status={review.status} className="text-base font-medium" /> : null}
        {mayReview ? (
          <DialogButton
            dialog={pageDialogOf(item._id)}
            variant="ghost"
            size="sm"
            data-command="Set review status"
            className={review ? undefined : "-ms-[calc(0.625rem+1px)]"}
          >
            {review ? "Change status" : "Set review status"}
          </DialogButton>
        ) : null}
      </div>
      {review ? (
        <p className="text-faint">
          {nameOf(review.by)}, <RelativeTime at={review.at} />
          {review.version === undefined || review.isCurrent ? null : `, for version ${review.version}`}
        </p>
      ) : null}
      {review?.note === undefined ? null : (
        <p dir="auto" className="max-w-[72ch] whitespace-pre-line wrap-anywhere text-soft">
          {review.note}
        </p>
      )}
      {review && review.requests.length > 0 ? (
        <ul aria-label="Requested reviews" className="grid gap-0.5 text-soft">
          {review.requests.map((request) => (
            <li key={request._id}>
              <RequestText request={request} />
            </li>
          ))}
        </ul>
      ) : null}
    </section>
  );
}

export function RequestText({ request: { reviewer, requester, dueOn } }: { request: Request }) {
  return (
    <>
      {reviewer?.isMe ? "Your review" : `Review by ${nameOf(reviewer)}`} requested by {requester?.isMe ? "you" : nameOf(requester)}
      {dueOn === undefined ? null : (
        <>
          , due <CalendarDay on={dueOn} />
        </>
      )}
    </>
  );
}

export const nameOf = (person: Request["reviewer"]): string => (person ? (person.isMe ? "You" : isolate(person.name)) : "Deleted user");
