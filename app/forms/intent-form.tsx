import { type ReactNode, useEffect, useRef, useState } from "react";
import { useActionData, useFetcher } from "react-router";
import { FieldErrors } from "~/ui/field";
import type { FormAnswer } from "./answer";
import { type Constraint, formProps, useAnsweredForm } from "./answered-form";
import { FORM_FIELD, INTENT_FIELD } from "./intents";
import { nextSending, type Sending } from "./sending";

type IntentFormOptions = {
  /** Unique on the page: the answer finds its form by it. */
  id: string;
  /** A name in the route's table of intents. */
  intent: string;
  /** HTML's attributes for the fields, made by the loader from the same rules (`getZodConstraint`). */
  constraint?: Constraint;
  /** What the fields hold at first. */
  defaultValue?: Record<string, string>;
};

/**
 * A form of the route that it stands in, taken by the route's action without scripts and by its clientAction with them. `refusal` is the
 * last one, whichever way it came; `pending` while the form is on its way, `done` once it was taken.
 */
export function useIntentForm({ id, intent, constraint, defaultValue }: IntentFormOptions) {
  const fetcher = useFetcher<FormAnswer | undefined>({ key: id });
  const fromPage = useActionData<FormAnswer | undefined>();
  const answer = fetcher.data ?? (fromPage?.form === id ? fromPage : undefined);
  const [form, fields] = useAnsweredForm({ id, answer: answer?.result, constraint, defaultValue });
  const refusal = answer?.result.status === "error" ? answer : undefined;
  const pending = fetcher.state !== "idle";

  const [sending, setSending] = useState<Sending>({ pending: false, answer: fetcher.data, done: false });
  const now = nextSending(sending, { pending, answer: fetcher.data, refused: refusal !== undefined });
  if (now !== sending) setSending(now);
  return { id, intent, form, fields, fetcher, refusal, pending, done: now.done };
}

type IntentFormState = ReturnType<typeof useIntentForm>;

type IntentFormProps = {
  state: IntentFormState;
  /** Values that are not asked for, such as the id of what is renamed. */
  hidden?: Record<string, string>;
  className?: string;
  /** When the form leaves: say, to close the dialog that it stands in, as its effect already shows. */
  onSend?: () => void;
  /** When it was done and the page stays. */
  onDone?: () => void;
  children: ReactNode;
};

/** The form element of a `useIntentForm`, with what concerns it as a whole told at its head. */
export function IntentForm({ state, hidden = {}, className, onSend, onDone, children }: IntentFormProps) {
  const { form, fetcher, intent, id } = state;
  const done = useRef(onDone);
  useEffect(() => {
    done.current = onDone;
  });
  useEffect(() => {
    if (state.done) done.current?.();
  }, [state.done]);

  return (
    <fetcher.Form method="post" className={className} onSubmit={() => onSend?.()} {...formProps(form)}>
      <input type="hidden" name={INTENT_FIELD} value={intent} />
      <input type="hidden" name={FORM_FIELD} value={id} />
      {Object.entries(hidden).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <FieldErrors id={form.errorId} errors={form.errors} />
      {children}
    </fetcher.Form>
  );
}
