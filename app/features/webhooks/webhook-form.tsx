import { useActionData } from "react-router";
import { TextField } from "~/lib/forms/fields/text-field";
import { IntentForm, useIntentForm } from "~/lib/forms/intent-form";
import type { IntentName } from "~/lib/forms/intents";
import { Button } from "~/lib/ui/inputs/button";
import { CopyField } from "~/lib/ui/inputs/copy-field";
import { WEBHOOK_EVENTS } from "./webhook-intents";

export function CreateWebhookForm() {
  const state = useIntentForm({ id: "create-webhook", intent: "createWebhook" satisfies IntentName });
  const fromPage = useActionData<unknown>();
  const secret = secretIn(state.fetcher.data, state.id) ?? secretIn(fromPage, state.id);
  return (
    <div className="grid gap-3">
      <IntentForm state={state} className="grid gap-4">
        <WebhookFields state={state} />
        <div>
          <Button type="submit" variant="primary">
            Create webhook
          </Button>
        </div>
      </IntentForm>
      <div role="status" className="grid gap-2 text-sm text-soft empty:hidden">
        {secret === null ? null : (
          <>
            <p>Copy the signing key now. It is not shown again.</p>
            <CopyField value={secret} label="Signing key" copied="Key copied" />
          </>
        )}
      </div>
    </div>
  );
}

function WebhookFields({ state: { id, fields, refusal } }: { state: ReturnType<typeof useIntentForm> }) {
  const sent = refusal?.result.initialValue;
  const problem = refusal?.result.error?.["events"];
  return (
    <>
      <TextField
        field={fields["url"]}
        label="Address"
        autoComplete="off"
        inputMode="url"
        hint="Begins with https:// and is reachable from the internet."
      />
      <fieldset className="grid gap-1" aria-describedby={problem ? `${id}-events-error` : undefined}>
        <legend className="mb-1 font-medium">Events</legend>
        {WEBHOOK_EVENTS.map(({ field, label }) => (
          <label key={field} className="flex min-h-6 items-center gap-2 pointer-coarse:min-h-11">
            <input type="checkbox" name={field} value="yes" defaultChecked={sent ? sent[field] === "yes" : true} />
            {label}
          </label>
        ))}
        {problem ? (
          <p id={`${id}-events-error`} className="text-sm text-danger-text">
            {problem.join(" ")}
          </p>
        ) : null}
      </fieldset>
    </>
  );
}

function secretIn(answer: unknown, form: string): string | null {
  if (typeof answer !== "object" || answer === null || !("form" in answer) || answer.form !== form || !("secret" in answer)) return null;
  return typeof answer.secret === "string" ? answer.secret : null;
}
