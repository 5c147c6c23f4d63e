import { href } from "react-router";
import { inputProps } from "~/lib/forms/fields/field-props";
import { IntentForm, useIntentForm } from "~/lib/forms/intent-form";
import { Button, ButtonLink } from "~/lib/ui/inputs/button";
import { Field, FieldErrors } from "~/lib/ui/inputs/field";
import { TextArea } from "~/lib/ui/inputs/text-area";
import { TextInput } from "~/lib/ui/inputs/text-input";

type RequestFormProps = { itemId: string; projectId: string; people: readonly { userId: string; name: string }[] };

export function RequestForm({ itemId, projectId, people }: RequestFormProps) {
  const state = useIntentForm({ id: "request-review", intent: "requestReview" });
  const { userIds, dueOn, note } = state.fields;
  if (!userIds || !dueOn || !note) return null;
  const sent = state.refusal?.result.initialValue?.["userIds"];
  const chosen = [Array.isArray(sent) ? sent : (sent ?? [])].flat();
  return (
    <IntentForm state={state} hidden={{ id: itemId, projectId }} className="grid gap-4">
      <fieldset className="grid gap-1" aria-describedby={userIds.errors ? userIds.errorId : undefined}>
        <legend className="mb-1.5 text-sm font-medium text-soft">Reviewers</legend>
        <div className="grid gap-x-6 sm:grid-cols-2">
          {people.map(({ userId, name }) => (
            <label key={userId} className="flex min-h-8 items-center gap-2 pointer-coarse:min-h-11">
              <input type="checkbox" name="userIds" value={userId} defaultChecked={chosen.includes(userId)} />
              <bdi className="min-w-0 truncate">{name}</bdi>
            </label>
          ))}
        </div>
        <FieldErrors id={userIds.errorId} errors={userIds.errors} />
      </fieldset>
      <Field htmlFor={dueOn.id} label="Due date" errorId={dueOn.errorId} errors={dueOn.errors} hint="Optional." hintId={`${dueOn.id}-hint`}>
        <TextInput
          type="date"
          {...inputProps(dueOn)}
          aria-describedby={dueOn.errors ? dueOn.errorId : `${dueOn.id}-hint`}
          className="max-w-48"
        />
      </Field>
      <Field
        htmlFor={note.id}
        label="Note"
        errorId={note.errorId}
        errors={note.errors}
        hint="Optional, at most 1,000 characters."
        hintId={`${note.id}-hint`}
      >
        <TextArea {...inputProps(note)} aria-describedby={note.errors ? note.errorId : `${note.id}-hint`} />
      </Field>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary">
          Request review
        </Button>
        <ButtonLink to={href("/projects/:id/review", { id: projectId })}>Cancel</ButtonLink>
      </div>
    </IntentForm>
  );
}
