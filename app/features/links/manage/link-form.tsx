import { useState } from "react";
import { useActionData } from "react-router";
import { TextField } from "~/lib/forms/fields/text-field";
import { FormPasswordField } from "~/lib/forms/fields/password-field";
import { IntentForm, useIntentForm } from "~/lib/forms/intent-form";
import type { IntentName } from "~/lib/forms/intents";
import { Button } from "~/lib/ui/inputs/button";
import { Field } from "~/lib/ui/inputs/field";
import { TextInput } from "~/lib/ui/inputs/text-input";
import { CopyField } from "~/lib/ui/inputs/copy-field";
import type { ManagedLink } from "./link-intents";

type CreateLinkFormProps = { item: { id: string; name: string }; formKey: string };

export function CreateLinkForm({ item, formKey }: CreateLinkFormProps) {
  const state = useIntentForm({ id: "create-link", intent: "createLink" satisfies IntentName, defaultValue: { name: item.name } });
  const [created, setCreated] = useState(0);
  return (
    <div className="grid gap-3">
      <IntentForm
        state={state}
        hidden={{ item: item.id, key: `${formKey} ${created}` }}
        className="grid gap-4"
        onDone={() => setCreated((count) => count + 1)}
      >
        <LinkFields key={created} state={state} allowed={NOTHING} />
        <div>
          <Button type="submit" variant="primary">
            Create link
          </Button>
        </div>
      </IntentForm>
      <Created answer={state.fetcher.data} form={state.id} />
    </div>
  );
}

const NOTHING = { downloads: false, comments: false };

type ChangeLinkFormProps = { projectId: string; link: ManagedLink };

export function ChangeLinkForm({ projectId, link }: ChangeLinkFormProps) {
  const { _id, name, downloads, comments = false, expiresAt, hasPassword } = link;
  const defaultValue = { name, expiresOn: expiresAt === null ? "" : dayOf(expiresAt) };
  // Another tab may change the link after the page has loaded, and the form sends all settings.
  const before = JSON.stringify({ name, downloads, comments, expiresAt, hasPassword });
  const state = useIntentForm({ id: `change-${_id}`, intent: "changeLink" satisfies IntentName, defaultValue });
  return (
    <IntentForm state={state} hidden={{ link: _id, item: projectId, before }} className="grid gap-4 pt-3">
      <LinkFields key={JSON.stringify(defaultValue)} state={state} allowed={{ downloads, comments }} hasPassword={hasPassword} />
      <div>
        <Button type="submit">Save changes</Button>
      </div>
    </IntentForm>
  );
}

type LinkFieldsProps = { state: ReturnType<typeof useIntentForm>; allowed: typeof NOTHING; hasPassword?: boolean };

function LinkFields({ state: { id, fields, refusal }, allowed, hasPassword = false }: LinkFieldsProps) {
  const sent = refusal?.result.initialValue;
  const expiresOn = fields["expiresOn"];
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField field={fields["name"]} label="Name" autoComplete="off" hint="Visitors do not see this name." />
        {expiresOn ? (
          <Field
            htmlFor={expiresOn.id}
            label="Expires on"
            errorId={expiresOn.errorId}
            errors={expiresOn.errors}
            hint="Optional. The link expires at the end of this day (UTC)."
            hintId={`${expiresOn.id}-hint`}
          >
            <TextInput
              type="date"
              id={expiresOn.id}
              name="expiresOn"
              aria-describedby={expiresOn.errors ? expiresOn.errorId : `${expiresOn.id}-hint`}
              defaultValue={typeof expiresOn.initialValue === "string" ? expiresOn.initialValue : ""}
            />
          </Field>
        ) : null}
        <FormPasswordField
          field={fields["secret"]}
          label={hasPassword ? "New password" : "Password"}
          autoComplete="new-password"
          hint={hasPassword ? "Leave it empty to keep the current one." : "Optional, at least 8 characters. Visitors must enter it."}
        />
      </div>
      <div className="grid gap-2">
        <label className="flex min-h-6 items-center gap-2 pointer-coarse:min-h-11">
          <input type="checkbox" name="downloads" value="yes" defaultChecked={sent ? sent["downloads"] === "yes" : allowed.downloads} />
          Allow downloads
        </label>
        <label className="flex min-h-6 items-center gap-2 pointer-coarse:min-h-11">
          <input type="checkbox" name="comments" value="yes" defaultChecked={sent ? sent["comments"] === "yes" : allowed.comments} />
          Show comments, and let visitors write them
        </label>
        {hasPassword ? (
          <label htmlFor={`${id}-remove`} className="flex min-h-6 items-center gap-2 pointer-coarse:min-h-11">
            <input id={`${id}-remove`} type="checkbox" name="removeSecret" value="yes" />
            Remove the password
          </label>
        ) : null}
      </div>
    </>
  );
}

function Created({ answer, form }: { answer: unknown; form: string }) {
  const fromPage = useActionData<unknown>();
  const link = linkIn(answer, form) ?? linkIn(fromPage, form);
  return (
    <div role="status" className="grid gap-2 text-sm text-soft empty:hidden">
      {link === null ? null : (
        <>
          <p>Link created. Everyone who has it can open it.</p>
          <CopyField value={link} label="Address of the new link" />
        </>
      )}
    </div>
  );
}

function linkIn(answer: unknown, form: string): string | null {
  if (typeof answer !== "object" || answer === null || !("form" in answer) || answer.form !== form || !("link" in answer)) return null;
  return typeof answer.link === "string" ? answer.link : null;
}

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
