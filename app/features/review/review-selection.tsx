import { CircleCheck } from "lucide";
import { INTENT_FIELD, intentWith } from "~/lib/forms/intents";
import { useMay } from "~/lib/rights/rights";
import { buttonClass } from "~/lib/ui/inputs/button";
import { TextInput } from "~/lib/ui/inputs/text-input";
import { Icon } from "~/lib/ui/icons/icon";
import { REVIEW_FILTERS, REVIEW_NOTE_MAX, rightToSet, STATUS_NAMES } from "#convex/model/review/statuses";
import { STATUS_ICONS } from "./review-mark";

const POPOVER = "status-chosen";

/** Keeps the buttons visible until the form is sent: the selection bar ignores hidden buttons. */
export function ReviewSelection({ thing }: { thing: "image" | "design" }) {
  const may = useMay();
  if (!may("review")) return null;
  const intent = thing === "image" ? "reviewImages" : "reviewDesigns";
  return (
    <>
      <button type="button" popoverTarget={POPOVER} className={buttonClass({ variant: "ghost", size: "sm" })}>
        <Icon of={CircleCheck} />
        Status…
      </button>
      <div id={POPOVER} popover="auto" role="group" aria-label="Status of the selection" data-side="top" className="menu w-60 min-w-0">
        <div className="grid gap-1 p-2">
          <label htmlFor="status-note" className="text-sm text-soft">
            Note (optional)
          </label>
          <TextInput id="status-note" name="note" maxLength={REVIEW_NOTE_MAX} autoComplete="off" dir="auto" />
        </div>
        {REVIEW_FILTERS.filter((status) => may(rightToSet(status))).map((status) => (
          <button key={status} type="submit" name={INTENT_FIELD} value={intentWith(intent, { status })} className="menu-item">
            <Icon of={STATUS_ICONS[status]} />
            {STATUS_NAMES[status]}
          </button>
        ))}
      </div>
    </>
  );
}
