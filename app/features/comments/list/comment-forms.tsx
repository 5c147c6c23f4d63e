import { useEffect, useRef, useState } from "react";
import { IntentForm, useIntentForm } from "~/lib/forms/intent-form";
import type { IntentName } from "~/lib/forms/intents";
import { TextField } from "~/lib/forms/fields/text-field";
import { inputProps } from "~/lib/forms/fields/field-props";
import { useIsVisitor, useMay, useMayRun } from "~/lib/rights/rights";
import { Button } from "~/lib/ui/inputs/button";
import { Field } from "~/lib/ui/inputs/field";
import { FILE_INPUT_CLASS } from "~/lib/ui/inputs/file-input-class";
import { useScripted } from "~/lib/ui/use-scripted";
import { FormDetails } from "./form-details";
import { MentionArea } from "../composer/mention-area";
import { AddImagesButton, Attachments, ImageInput } from "../attachments/attachments";
import type { CommentImage } from "../attachments/comment-images";
import { useAttachments } from "../attachments/use-attachments";
import { useGuest, useLinkCommenting } from "../link-commenting";
import type { Comment, Thread } from "../optimistic";

export type Constraint = Parameters<typeof useIntentForm>[0]["constraint"];

/** Returns whether an intent is allowed. Visitors of a public link run the same intents on the app server. */
export function useMayWrite(intent: IntentName): boolean {
  const mayRun = useMayRun()(intent);
  const mayComment = useMay()("comment");
  return useLinkCommenting() ? mayComment : mayRun;
}

type WriteFormProps = {
  id: string;
  intent: IntentName;
  label: string;
  hidden: Record<string, string>;
  constraint: Constraint;
  projectId: string;
  itemId: string;
  onDone?: () => void;
};

function WriteForm({ id, intent, label, hidden, constraint, projectId, itemId, onDone }: WriteFormProps) {
  const guest = useGuest();
  const isVisitor = useIsVisitor();
  const state = useIntentForm({ id, intent, constraint, ...(guest && { defaultValue: { name: guest.name } }) });
  const [round, setRound] = useState(0);
  const [images, setImages] = useState<readonly CommentImage[]>([]);
  const attachments = useAttachments({
    itemId: isVisitor ? null : itemId,
    images,
    onAdd: (image) => setImages((now) => [...now, image]),
    onRemove: (imageId) => setImages((now) => now.filter(({ _id }) => _id !== imageId)),
  });
  const imageInput = useRef<HTMLInputElement>(null);
  const isScripted = useScripted();
  useOpenRejected(state);
  const field = state.fields["text"];
  if (!field) return null;
  const { defaultValue: _, ...props } = inputProps(field);
  const refused = state.refusal?.result.initialValue?.["text"];
  return (
    <IntentForm
      state={state}
      hidden={{ ...hidden, key: `${hidden["key"] ?? ""}${round}`, imageIds: images.map(({ _id }) => _id) }}
      className="grid max-w-prose gap-2"
      {...(attachments.isOffered && !isScripted && { encType: "multipart/form-data" })}
      onDone={() => {
        setRound(round + 1);
        setImages([]);
        onDone?.();
      }}
    >
      {guest ? <TextField field={state.fields["name"]} label="Your name" autoComplete="name" maxLength={80} /> : null}
      <Field htmlFor={field.id} label={label} errorId={field.errorId} errors={field.errors}>
        <MentionArea
          key={round}
          {...props}
          projectId={isVisitor ? null : projectId}
          rows={3}
          required={images.length === 0}
          defaultValue={typeof refused === "string" ? refused : ""}
          {...attachments.formProps}
        />
      </Field>
      <Attachments id={`${id}-images`} attachments={attachments} />
      {attachments.isOffered ? (
        <div hidden={isScripted} className="grid justify-items-start gap-1 text-sm text-soft">
          <label htmlFor={`${id}-files`}>Images</label>
          <ImageInput id={`${id}-files`} ref={imageInput} attachments={attachments} className={FILE_INPUT_CLASS} />
        </div>
      ) : null}
      <div className="flex items-center gap-1">
        <Button type="submit" variant="primary" disabled={state.pending || attachments.uploading > 0}>
          Send
        </Button>
        {attachments.isOffered && isScripted ? <AddImagesButton input={imageInput} /> : null}
      </div>
    </IntentForm>
  );
}

type NewThreadProps = { itemId: string; formKey: string; constraint: Constraint; projectId: string };

export function NewThread({ itemId, formKey, ...rest }: NewThreadProps) {
  if (!useMayWrite("startThread")) return null;
  return <WriteForm id="new-thread" intent="startThread" label="New comment" itemId={itemId} hidden={{ itemId, key: formKey }} {...rest} />;
}

type ReplyProps = { thread: Thread; formKey: string; constraint: Constraint; projectId: string };

export function ReplyForm({ thread: { _id, itemId, first }, formKey, ...rest }: ReplyProps) {
  const id = `reply-${_id}`;
  if (!useMayWrite("replyToThread")) return null;
  return (
    <FormDetails
      formId={id}
      summary={
        <>
          Reply<span className="sr-only"> to {first.author.name}</span>
        </>
      }
    >
      <WriteForm
        id={id}
        intent="replyToThread"
        label="Your reply"
        itemId={itemId}
        hidden={{ threadId: _id, key: `${formKey}${_id}` }}
        {...rest}
        onDone={() => closeDetailsOf(id)}
      />
    </FormDetails>
  );
}

type EditFormProps = { comment: Comment; constraint: Constraint; projectId: string };

export function EditForm(props: EditFormProps) {
  const id = `edit-${props.comment._id}`;
  return (
    <FormDetails formId={id} summary="Edit">
      <EditFields id={id} {...props} />
    </FormDetails>
  );
}

function EditFields({ id, comment: { _id, text }, constraint, projectId }: EditFormProps & { id: string }) {
  const isVisitor = useIsVisitor();
  const state = useIntentForm({ id, intent: "editComment", constraint, defaultValue: { text } });
  const [isTyped, setTyped] = useState(false);
  const [shown, setShown] = useState({ text, round: 0 });
  if (!isTyped && !state.pending && shown.text !== text) setShown({ text, round: shown.round + 1 });
  useOpenRejected(state);
  const field = state.fields["text"];
  if (!field) return null;
  const startOver = () => {
    setTyped(false);
    setShown(({ round }) => ({ text, round: round + 1 }));
    closeDetailsOf(id);
  };
  const refused = state.refusal?.result.initialValue?.["text"];
  const { defaultValue: _, ...props } = inputProps(field);
  return (
    <IntentForm
      state={state}
      hidden={{ commentId: _id, from: shown.text }}
      className="grid max-w-prose gap-2"
      onDone={startOver}
      onDiscard={startOver}
    >
      <Field htmlFor={field.id} label="Comment text" errorId={field.errorId} errors={field.errors}>
        <MentionArea
          key={shown.round}
          {...props}
          projectId={isVisitor ? null : projectId}
          rows={3}
          defaultValue={typeof refused === "string" ? refused : shown.text}
          onChange={() => setTyped(true)}
        />
      </Field>
      <Button type="submit" variant="primary" className="justify-self-start">
        Save
      </Button>
    </IntentForm>
  );
}

type DeleteFormProps = { comment: Comment; projectId: string };

export function DeleteForm(props: DeleteFormProps) {
  return (
    <FormDetails summary="Delete">
      <ConfirmDelete {...props} />
      <DeleteAllForm {...props} />
    </FormDetails>
  );
}

function ConfirmDelete({ comment: { _id } }: DeleteFormProps) {
  const state = useIntentForm({ id: `delete-${_id}`, intent: "removeComment" });
  return (
    <IntentForm state={state} hidden={{ commentId: _id }} className="grid gap-2">
      <p className="text-soft">This cannot be undone.</p>
      <Button type="submit" variant="danger" className="justify-self-start">
        Delete comment
      </Button>
    </IntentForm>
  );
}

function DeleteAllForm({ comment: { _id, linkId, author }, projectId }: DeleteFormProps) {
  const state = useIntentForm({ id: `delete-all-${_id}`, intent: "removeLinkComments" });
  if (!useMayRun()("removeLinkComments") || linkId === undefined) return null;
  return (
    <IntentForm state={state} hidden={{ projectId, linkId, authorId: author.userId }} className="mt-2">
      <Button type="submit" variant="danger" className="justify-self-start">
        Delete all by <bdi>{author.name}</bdi> through this link
      </Button>
    </IntentForm>
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

function useOpenRejected({ id, refusal }: Pick<ReturnType<typeof useIntentForm>, "id" | "refusal">): void {
  useEffect(() => {
    if (refusal) detailsOf(id)?.setAttribute("open", "");
  }, [id, refusal]);
}

function closeDetailsOf(formId: string): void {
  const details = detailsOf(formId);
  if (!details) return;
  details.open = false;
  details.querySelector("summary")?.focus();
}

const detailsOf = (formId: string) => document.getElementById(formId)?.closest("details");
