import { Plus } from "lucide";
import { Form, useActionData } from "react-router";
import { Icon } from "~/lib/ui/icons/icon";
import { Button } from "~/lib/ui/inputs/button";
import { TextInput } from "~/lib/ui/inputs/text-input";
import type { FormAnswer } from "../form-result";
import { FORM_FIELD, type FormValues, type Intent, INTENT_FIELD, type IntentName } from "../intents";

const FORM = "new-destination";

export const creatingDestination = (intent: Intent): Intent => ({
  ...intent,
  message: undefined,
  async run(...args) {
    await intent.run(...args);
    return null;
  },
});

type NewDestinationProps = { thing: "project" | "design"; intent: IntentName; hidden: FormValues };

export function NewDestination({ thing, intent, hidden }: NewDestinationProps) {
  const answer = useActionData<FormAnswer | undefined>();
  const refused = answer?.form === FORM ? answer.result : undefined;
  const problems = Object.values(refused?.error ?? {}).flat();
  const typed = refused?.initialValue?.["name"];
  const problemId = `${FORM}-problem`;
  return (
    <Form method="post" className="grid max-w-2xl gap-1">
      <input type="hidden" name={INTENT_FIELD} value={intent} />
      <input type="hidden" name={FORM_FIELD} value={FORM} />
      {Object.entries(hidden).flatMap(([name, values]) =>
        [values].flat().map((value) => <input key={`${name} ${value}`} type="hidden" name={name} value={value} />),
      )}
      <div className="flex gap-2">
        <TextInput
          name="name"
          aria-label={`New ${thing}`}
          placeholder={`New ${thing}`}
          autoComplete="off"
          defaultValue={typeof typed === "string" ? typed : ""}
          aria-invalid={problems.length > 0 || undefined}
          aria-describedby={problemId}
        />
        <Button type="submit">
          <Icon of={Plus} />
          Create {thing}
        </Button>
      </div>
      <p id={problemId} role="alert" className="text-sm text-danger-text empty:hidden">
        {problems.join(" ")}
      </p>
    </Form>
  );
}
