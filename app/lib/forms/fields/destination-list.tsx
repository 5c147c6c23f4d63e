import { useNavigation } from "react-router";
import { Button } from "~/lib/ui/inputs/button";
import { EmptyState } from "~/lib/ui/empty-state";
import { IntentForm, useIntentForm } from "../intent-form";
import { type FormValues, INTENT_FIELD, type IntentName } from "../intents";

type TargetListProps = {
  intent: IntentName;
  hidden: FormValues;
  field: string;
  targets: { _id: string; name: string; summary: string }[];
  nowhere: string;
  action?: string;
  copy?: IntentName;
  current?: string;
};

export function DestinationList({ intent, hidden, field, targets, nowhere, action = "Move here", copy, current }: TargetListProps) {
  const state = useIntentForm({ id: "move", intent });
  const leaving = useNavigation().state !== "idle";
  if (targets.length === 0) return <EmptyState title="No destination available" text={nowhere} />;
  return (
    <IntentForm state={state} hidden={hidden} hasButtons className="grid max-w-2xl grid-cols-[minmax(0,1fr)] gap-4">
      <fieldset
        disabled={leaving}
        className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-px overflow-hidden rounded-lg border border-line bg-line"
      >
        <legend className="sr-only">Destination</legend>
        {targets.map(({ _id, name, summary }) => (
          <label key={_id} className="flex min-h-11 cursor-pointer items-center gap-3 bg-card px-4 py-2 hover:bg-hover">
            <input type="radio" name={field} value={_id} required />
            <span dir="auto" className="min-w-0 flex-1 truncate">
              {name}
            </span>
            <span className="tabular max-w-[50%] truncate text-sm text-faint">{_id === current ? "Current" : summary}</span>
          </label>
        ))}
      </fieldset>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" name={INTENT_FIELD} value={intent} variant="primary" disabled={leaving}>
          {action}
        </Button>
        {copy ? (
          <Button type="submit" name={INTENT_FIELD} value={copy} disabled={leaving}>
            Copy here
          </Button>
        ) : null}
      </div>
    </IntentForm>
  );
}
