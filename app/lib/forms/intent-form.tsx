import { type ReactNode, useEffect, useRef, useState } from "react";
import { useActionData, useFetcher } from "react-router";
import { EditConflict } from "./edit-conflict";
import { FieldErrors } from "~/lib/ui/inputs/field";
import type { FormAnswer } from "./form-result";
import { type Constraint, formProps, useAnsweredForm } from "./use-form-result";
import { FORM_FIELD, type FormValues, INTENT_FIELD, type IntentName } from "./intents";
import { nextSubmissionState, type SubmissionState } from "./submission-state";

type IntentFormOptions = {
  id: string;
  intent: IntentName;
  constraint?: Constraint;
  defaultValue?: Record<string, string>;
};

/** Returns the state of a form of the current route's action or clientAction. `refusal` is the last rejection, `done` the last success. */
export function useIntentForm({ id, intent, constraint, defaultValue }: IntentFormOptions) {
  const fetcher = useFetcher<FormAnswer | undefined>({ key: id });
  const fromPage = useActionData<FormAnswer | undefined>();
  const answer = fetcher.data ?? (fromPage?.form === id ? fromPage : undefined);
  const [form, fields] = useAnsweredForm({ id, answer: answer?.result, constraint, defaultValue });
  const refusal = answer?.result.status === "error" ? answer : undefined;
  const [sentWith, setSentWith] = useState(fetcher.data);
  // React Router provides a fetcher's data before its state. A dialog that closed in between would lose its text.
  const isRejected = refusal !== undefined && fetcher.data !== sentWith;
  const pending = fetcher.state !== "idle" && !isRejected;

  const [sending, setSending] = useState<SubmissionState>({ pending: false, answer: fetcher.data, done: false });
  const now = nextSubmissionState(sending, { pending, answer: fetcher.data, refused: refusal !== undefined });
  if (now !== sending) setSending(now);
  return { id, intent, form, fields, fetcher, refusal, pending, done: now.done, markSent: () => setSentWith(fetcher.data) };
}

type IntentFormState = ReturnType<typeof useIntentForm>;

type IntentFormProps = {
  state: IntentFormState;
  hidden?: FormValues;
  className?: string;
  encType?: "multipart/form-data";
  hasButtons?: boolean;
  onSend?: () => void;
  onDone?: () => void;
  onDiscard?: () => void;
  children: ReactNode;
};

export function IntentForm({
  state,
  hidden = {},
  className,
  encType,
  hasButtons = false,
  onSend,
  onDone,
  onDiscard = onDone,
  children,
}: IntentFormProps) {
  const { form, fetcher, intent, id } = state;
  const current = state.refusal?.current;
  const done = useRef(onDone);
  useEffect(() => {
    done.current = onDone;
  });
  useEffect(() => {
    if (state.done) done.current?.();
  }, [state.done]);

  const send = () => {
    state.markSent();
    onSend?.();
  };

  return (
    <fetcher.Form
      method="post"
      encType={encType}
      className={className}
      data-rejected={state.refusal && ""}
      onSubmit={send}
      {...formProps(form)}
    >
      {hasButtons ? null : <input type="hidden" name={INTENT_FIELD} value={intent} />}
      <input type="hidden" name={FORM_FIELD} value={id} />
      {Object.entries(current === undefined ? hidden : { ...hidden, from: current }).flatMap(([name, values]) =>
        [values].flat().map((value) => <input key={`${name} ${value}`} type="hidden" name={name} value={value} />),
      )}
      <FieldErrors id={form.errorId} errors={form.errors} />
      {current === undefined ? null : (
        <EditConflict
          current={current}
          onDiscard={
            fetcher.data &&
            (() => {
              fetcher.reset();
              onDiscard?.();
            })
          }
        />
      )}
      {children}
    </fetcher.Form>
  );
}
