import { useRef, useState } from "react";
import { IntentForm, useIntentForm } from "~/lib/forms/intent-form";
import type { IntentName } from "~/lib/forms/intents";
import { inputProps } from "~/lib/forms/fields/field-props";
import { useMayRun } from "~/lib/rights/rights";
import { Button } from "~/lib/ui/inputs/button";
import { Field } from "~/lib/ui/inputs/field";
import { TextArea } from "~/lib/ui/inputs/text-area";
import type { Comment, Thread } from "../optimistic";

export type Constraint = Parameters<typeof useIntentForm>[0]["constraint"];

type WriteFormProps = {
  id: string;
  intent: IntentName;
  label: string;
  /** With a `key` for each text that is sent. */
  hidden: Record<string, string>;
  constraint: Constraint;
  onDone?: () => void;
};

/** A form for a new comment or reply, which is empty again after it was sent. */
function WriteForm({ id, intent, label, hidden, constraint, onDone }: WriteFormProps) {
  const state = useIntentForm({ id, intent, constraint });
  const [round, setRound] = useState(0);
  const field = state.fields["text"];
  if (!field) return null;
  const { defaultValue: _, ...props } = inputProps(field);
  const refused = state.refusal?.result.initialValue?.["text"];
  return (
    <IntentForm
      state={state}
      hidden={{ ...hidden, key: `${hidden["key"] ?? ""}${round}` }}
      className="grid max-w-prose gap-2"
      onDone={() => {
        setRound(round + 1);
        onDone?.();
      }}
    >
      <Field htmlFor={field.id} label={label} errorId={field.errorId} errors={field.errors}>
        <TextArea key={round} {...props} rows={3} defaultValue={typeof refused === "string" ? refused : ""} />
      </Field>
      <Button type="submit" variant="primary" className="justify-self-start" disabled={state.pending}>
        Send
      </Button>
    </IntentForm>
  );
}

type NewThreadProps = { itemId: string; formKey: string; constraint: Constraint };

export function NewThread({ itemId, formKey, constraint }: NewThreadProps) {
  if (!useMayRun()("startThread")) return null;
  return <WriteForm id="new-thread" intent="startThread" label="New comment" hidden={{ itemId, key: formKey }} constraint={constraint} />;
}

type ReplyProps = { thread: Thread; formKey: string; constraint: Constraint };

export function ReplyForm({ thread: { _id, first }, formKey, constraint }: ReplyProps) {
  const details = useRef<HTMLDetailsElement>(null);
  const id = `reply-${_id}`;
  const isRefused = useIntentForm({ id, intent: "replyToThread" }).refusal !== undefined;
  if (!useMayRun()("replyToThread")) return null;
  return (
    <details ref={details} className="comment-details" open={isRefused || undefined}>
      <summary>
        Reply<span className="sr-only"> to {first.author.name}</span>
      </summary>
      <WriteForm
        id={id}
        intent="replyToThread"
        label="Your answer"
        hidden={{ threadId: _id, key: `${formKey}${_id}` }}
        constraint={constraint}
        onDone={() => closeDetails(details.current)}
      />
    </details>
  );
}

export function EditForm({ comment: { _id, text }, constraint }: { comment: Comment; constraint: Constraint }) {
  const details = useRef<HTMLDetailsElement>(null);
  const state = useIntentForm({ id: `edit-${_id}`, intent: "editComment", constraint, defaultValue: { text } });
  const [isTyped, setTyped] = useState(false);
  const [shown, setShown] = useState({ text, round: 0 });
  // Shows a change in another tab until the user types.
  if (!isTyped && !state.pending && shown.text !== text) setShown({ text, round: shown.round + 1 });
  const field = state.fields["text"];
  if (!field) return null;
  const startOver = () => {
    setTyped(false);
    setShown(({ round }) => ({ text, round: round + 1 }));
    closeDetails(details.current);
  };
  const refused = state.refusal?.result.initialValue?.["text"];
  const { defaultValue: _, ...props } = inputProps(field);
  return (
    <details ref={details} className="comment-details" open={state.refusal !== undefined || undefined}>
      <summary>Edit</summary>
      <IntentForm
        state={state}
        hidden={{ commentId: _id, from: shown.text }}
        className="grid max-w-prose gap-2"
        onDone={startOver}
        onDiscard={startOver}
      >
        <Field htmlFor={field.id} label="Text" errorId={field.errorId} errors={field.errors}>
          <TextArea
            key={shown.round}
            {...props}
            rows={3}
            defaultValue={typeof refused === "string" ? refused : shown.text}
            onChange={() => setTyped(true)}
          />
        </Field>
        <Button type="submit" variant="primary" className="justify-self-start">
          Save
        </Button>
      </IntentForm>
    </details>
  );
}

export function DeleteForm({ comment: { _id } }: { comment: Comment }) {
  const state = useIntentForm({ id: `delete-${_id}`, intent: "removeComment" });
  return (
    <details className="comment-details">
      <summary>Delete</summary>
      <IntentForm state={state} hidden={{ commentId: _id }} className="grid gap-2">
        <p className="text-soft">This cannot be undone.</p>
        <Button type="submit" variant="danger" className="justify-self-start">
          Delete comment
        </Button>
      </IntentForm>
    </details>
  );
}

export function ResolveForm({ thread: { _id, isResolved } }: { thread: Thread }) {
  const state = useIntentForm({ id: `resolve-${_id}`, intent: "setThreadResolved" });
  if (!useMayRun()("setThreadResolved")) return null;
  return (
    <IntentForm state={state} hidden={{ threadId: _id, isResolved: String(!isResolved) }}>
      <Button type="submit" size="sm">
        {isResolved ? "Reopen" : "Resolve"}
        <span className="sr-only"> thread</span>
      </Button>
    </IntentForm>
  );
}

function closeDetails(details: HTMLDetailsElement | null): void {
  if (!details) return;
  details.open = false;
  details.querySelector("summary")?.focus();
}
