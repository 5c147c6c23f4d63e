import { AtSign, SendHorizontal } from "lucide";
import { type ReactNode, useId, useLayoutEffect, useRef, useState } from "react";
import { connectedConvex } from "~/lib/data/connection/connection";
import { refusalOf } from "~/lib/data/error-responses";
import { Icon } from "~/lib/ui/icons/icon";
import { Button } from "~/lib/ui/inputs/button";
import { FieldErrors } from "~/lib/ui/inputs/field";
import { pressedKey } from "~/lib/ui/inputs/keys";
import { TextArea } from "~/lib/ui/inputs/text-area";
import { TextInput } from "~/lib/ui/inputs/text-input";
import { announce } from "~/lib/ui/overlays/announcer";
import { useGuest, useLinkCommenting } from "../link-commenting";
import { AddImagesButton, Attachments, ImageInput } from "../attachments/attachments";
import { useAttachments } from "../attachments/use-attachments";
import type { Draft } from "../drafts/drafts";
import { plainName, toTokens, withMention } from "./mentions";
import type { DraftState } from "./use-draft";
import { MentionList } from "./mention-list";
import { useMentions } from "./use-mentions";

type ComposerProps = {
  draft: DraftState;
  label: string;
  submit: string;
  projectId: string;
  itemId: string;
  /** Throws for a rejected text, which then returns to the field. */
  onSend: (text: string, draft: Draft) => Promise<void>;
  onCancel?: (() => void) | undefined;
  autoFocus?: boolean;
  asksName?: boolean;
  children?: ReactNode;
};

export function Composer({
  draft: state,
  label,
  submit,
  projectId,
  itemId,
  onSend,
  onCancel,
  autoFocus = false,
  asksName = false,
  children,
}: ComposerProps) {
  const id = useId();
  const { draft, change } = state;
  const { text, people, images = [] } = draft;
  const link = useLinkCommenting();
  const guest = useGuest();
  const field = useRef<HTMLTextAreaElement>(null);
  const imageInput = useRef<HTMLInputElement>(null);
  const [caret, setCaret] = useState(0);
  const nextCaret = useRef<number | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const mentions = useMentions({
    projectId: link ? null : projectId,
    text,
    caret,
    onChoose(person, mention) {
      const next = withMention(text, mention.start, mention.caret, person);
      nextCaret.current = next.caret;
      change({ text: next.text, people: { ...people, [plainName(person.name)]: person.id } });
      announce(`${person.name} mentioned`);
    },
  });
  useLayoutEffect(() => {
    if (nextCaret.current === null) return;
    field.current?.focus();
    field.current?.setSelectionRange(nextCaret.current, nextCaret.current);
    setCaret(nextCaret.current);
    nextCaret.current = null;
  }, [text]);
  const attachments = useAttachments({
    itemId: link ? null : itemId,
    images,
    onAdd: state.addImage,
    onRemove: state.removeImage,
  });
  const isEmpty = text.trim() === "" && images.length === 0;

  async function send() {
    if (asksName && guest?.name.trim() === "") return setProblem("Enter your name.");
    if (attachments.uploading > 0) return setProblem("Wait until the images are uploaded.");
    if (isEmpty) return setProblem("Enter a comment.");
    setProblem(null);
    const taken = state.take();
    announce(connectedConvex() ? "Sending" : "Waiting for connection. The comment is sent when you are online again.");
    try {
      await onSend(toTokens(text, people), taken);
      announce("Sent");
    } catch (error) {
      state.restore(taken);
      setProblem(problemOf(error));
    }
  }

  function insertAt() {
    const at = field.current?.selectionStart ?? text.length;
    const before = /(?:^|\s)$/.test(text.slice(0, at)) ? "@" : " @";
    nextCaret.current = at + before.length;
    change({ text: text.slice(0, at) + before + text.slice(at) });
  }

  return (
    <form
      className="comment-composer"
      {...attachments.formProps}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {children}
      {asksName && guest ? (
        <div className="grid gap-1.5">
          <label htmlFor={`${id}-name`} className="text-sm font-medium text-soft">
            Your name
          </label>
          <TextInput
            id={`${id}-name`}
            value={guest.name}
            maxLength={80}
            autoComplete="name"
            aria-describedby={`${id}-problem`}
            onChange={(event) => link?.setName(event.target.value)}
          />
        </div>
      ) : null}
      <label htmlFor={id} className="sr-only">
        {label}
      </label>
      <TextArea
        ref={field}
        id={id}
        value={text}
        placeholder={label}
        autoFocus={autoFocus}
        aria-invalid={problem !== null || undefined}
        aria-describedby={`${id}-problem`}
        {...mentions.fieldProps}
        className="comment-field"
        onChange={(event) => {
          setCaret(event.target.selectionStart);
          change({ text: event.target.value });
        }}
        onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
        onKeyDown={(event) => {
          if (mentions.onKey(event)) return;
          const key = pressedKey(event.nativeEvent);
          if (key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
          else if (key === "Escape" && onCancel) onCancel();
          else return;
          event.preventDefault();
        }}
      />
      <MentionList mentions={mentions} />
      <Attachments id={`${id}-images`} attachments={attachments} />
      <FieldErrors id={`${id}-problem`} errors={problem === null ? undefined : [problem]} />
      <div className="flex flex-wrap items-center gap-1">
        {link ? null : (
          <Button variant="ghost" size="icon-sm" aria-label="Mention someone" data-tooltip="Mention" onClick={insertAt}>
            <Icon of={AtSign} />
          </Button>
        )}
        {attachments.isOffered ? (
          <>
            <AddImagesButton input={imageInput} />
            <ImageInput ref={imageInput} attachments={attachments} hidden />
          </>
        ) : null}
        <span className="flex-1" />
        {onCancel ? (
          <Button variant="ghost" size="sm" onClick={onCancel}>
            Cancel
          </Button>
        ) : null}
        <Button type="submit" variant="primary" size="sm" title={`${submit} (Ctrl+Enter)`}>
          <Icon of={SendHorizontal} className="rtl:-scale-x-100" />
          {submit}
        </Button>
      </div>
    </form>
  );
}

export function problemOf(error: unknown, otherwise = "The comment was not saved. Your text is kept. Try again."): string {
  const refusal = refusalOf(error);
  if (refusal?.code === "not_found") return "This item no longer exists, or you no longer have access.";
  const fields = Object.values(refusal?.fieldErrors ?? {}).flat();
  if (fields.length > 0) return fields.join(" ");
  return refusal?.message ?? otherwise;
}
