import type { FunctionReturnType } from "convex/server";
import { href } from "react-router";
import { IntentForm, useIntentForm } from "~/lib/forms/intent-form";
import { useMayRun } from "~/lib/rights/rights";
import { Button } from "~/lib/ui/inputs/button";
import { isolate } from "~/lib/ui/isolate";
import { Link } from "~/lib/ui/navigation/link";
import type { api } from "#convex/_generated/api";
import { nameOf, RequestText } from "./review-section";

type ReviewOverview = FunctionReturnType<typeof api.reviews.getOverview>;
type Request = ReviewOverview["requests"][number];

export function RequestList({ requests }: { requests: readonly Request[] }) {
  const mayCancel = useMayRun()("cancelReviewRequest");
  return (
    <ul aria-label="Requested reviews" className="grid max-w-3xl gap-px overflow-hidden rounded-lg border bg-line">
      {requests.map((request) => (
        <li key={request._id} className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 bg-card px-4 py-3">
          <div className="grid min-w-0 gap-0.5">
            <h3 className="text-base font-medium wrap-anywhere">
              <Link to={addressOf(request.item)} prefetch="intent" dir="auto" className="hover:underline">
                {request.item.name}
              </Link>
            </h3>
            <p className="text-sm text-soft">
              <RequestText request={request} />
            </p>
            {request.note === undefined ? null : (
              <p dir="auto" className="max-w-[72ch] text-sm whitespace-pre-line wrap-anywhere text-faint">
                {request.note}
              </p>
            )}
          </div>
          {mayCancel ? <CancelRequest request={request} /> : null}
        </li>
      ))}
    </ul>
  );
}

const addressOf = ({ designId: id, imageId }: Request["item"]): string =>
  imageId === undefined ? href("/design/:id", { id }) : href("/design/:id/images/:imageId", { id, imageId });

function CancelRequest({ request: { _id, item, reviewer } }: { request: Request }) {
  const state = useIntentForm({ id: `cancel-${_id}`, intent: "cancelReviewRequest" });
  return (
    <IntentForm state={state} hidden={{ id: item.imageId ?? item.designId, requestId: _id }}>
      <Button type="submit" size="sm" aria-label={`Cancel request: ${isolate(item.name)}, ${nameOf(reviewer)}`}>
        Cancel request
      </Button>
    </IntentForm>
  );
}
