import { useNavigation } from "react-router";
import { Button } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { IntentForm, useIntentForm } from "./intent-form";

type TargetListProps = {
  intent: string;
  /** What moves: an `id`, or several `ids`. */
  hidden: Record<string, string>;
  /** The field that names where to. */
  field: string;
  targets: { _id: string; name: string; facts: string }[];
  /** What to say where there is nowhere to move to. */
  nowhere: string;
  /** What the button says. */
  action?: string;
};

/** Where something is to be moved: one of a list, chosen and sent. */
export function TargetList({ intent, hidden, field, targets, nowhere, action = "Move here" }: TargetListProps) {
  const state = useIntentForm({ id: "move", intent });
  // Another project's list may be on its way: nobody chooses from one that is about to go.
  const leaving = useNavigation().state !== "idle";
  if (targets.length === 0) return <EmptyState title="Nowhere to move to" text={nowhere} />;
  return (
    <IntentForm state={state} hidden={hidden} className="grid max-w-2xl grid-cols-[minmax(0,1fr)] gap-4">
      <fieldset
        disabled={leaving}
        className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-px overflow-hidden rounded-lg border border-line bg-line"
      >
        <legend className="sr-only">Where to</legend>
        {targets.map(({ _id, name, facts }) => (
          <label key={_id} className="flex min-h-11 cursor-pointer items-center gap-3 bg-card px-4 py-2 hover:bg-hover">
            <input type="radio" name={field} value={_id} required className="accent-accent" />
            <span className="min-w-0 flex-1 truncate">{name}</span>
            <span className="tabular max-w-[50%] truncate text-sm text-faint">{facts}</span>
          </label>
        ))}
      </fieldset>
      <div>
        <Button type="submit" look="primary" disabled={leaving}>
          {action}
        </Button>
      </div>
    </IntentForm>
  );
}
