import { useEffect, useRef, useState } from "react";
import { Pencil, Trash } from "lucide";
import { isPending } from "~/lib/data/pending";
import { refusalOf } from "~/lib/data/error-responses";
import { useMay } from "~/lib/rights/rights";
import { Avatar } from "~/lib/ui/avatar";
import { Icon } from "~/lib/ui/icons/icon";
import { Button } from "~/lib/ui/inputs/button";
import { RelativeTime } from "~/lib/ui/time/relative-time";
import { toast } from "~/lib/ui/overlays/toasts";
import { Composer, problemOf } from "../composer/composer";
import { fromTokens } from "../composer/mentions";
import { useDraft } from "../composer/use-draft";
import { writeDraft } from "../drafts/drafts";
import { ViaLinkBadge, useIsMine } from "../link-commenting";
import { CommentImageList } from "../attachments/comment-image-list";
import type { Comment } from "../optimistic";
import { CommentText } from "../text/comment-text";
import { Reactions } from "./reactions";
import { commentActions, useWriting } from "./use-comment-actions";

type CommentRowProps = {
  comment: Comment;
  itemId: string;
  me: { userId: string };
  projectId: string;
  note?: string | null;
  isNew?: boolean;
};

export function CommentRow({ comment, itemId, me, projectId, note = null, isNew = false }: CommentRowProps) {
  const { _id, author, text, images, createdAt, editedAt, isDeleted } = comment;
  const [mode, setMode] = useState<"shown" | "edited" | "removing">("shown");
  const [editedFrom, setEditedFrom] = useState(text);
  const edit = (from: string) => {
    setEditedFrom(from);
    setMode("edited");
  };
  const may = useMay();
  const isSent = !isPending(_id);
  const isMine = useIsMine()(comment);
  const mayEdit = isSent && isMine && may("comment");
  const mayRemove = isSent && (isMine ? may("comment") : may("moderate"));
  const { remove } = useWriting();
  return (
    <div className="comment-row">
      <Avatar name={author.name} email="" image={null} className="size-7 rounded-full text-xs" />
      <div className="grid min-w-0 flex-1 gap-1">
        <p className="flex flex-wrap items-baseline gap-x-2 text-sm text-faint">
          <bdi className="truncate text-base font-medium text-ink">{author.name}</bdi>
          <ViaLinkBadge through={comment.through} />
          <RelativeTime at={createdAt} />
          {editedAt === undefined ? null : <span>Edited</span>}
          {note === null ? null : <span>{note}</span>}
          {isNew ? <span className="text-accent-text">New</span> : null}
          {isSent ? null : <span className="waiting-mark text-ink">Waiting for connection</span>}
        </p>
        {isDeleted ? <p className="text-faint italic">Deleted comment</p> : null}
        {mode === "edited" ? (
          <EditComment
            comment={comment}
            itemId={itemId}
            me={me}
            projectId={projectId}
            from={editedFrom}
            onDone={() => setMode("shown")}
            onRejected={(current = editedFrom) => edit(current)}
          />
        ) : isDeleted ? null : (
          <>
            {text === "" ? null : <CommentText text={text} />}
            <CommentImageList images={images} />
          </>
        )}
        {mode === "removing" ? (
          <ConfirmRemoval
            onConfirm={() => remove(_id)}
            onConfirmAll={
              comment.linkId !== undefined && may("moderate")
                ? () => commentActions.removeAllOf(projectId, comment.linkId ?? "", author.userId)
                : undefined
            }
            onCancel={() => setMode("shown")}
          />
        ) : isDeleted || mode === "edited" ? null : (
          <div className="-ms-1.5 flex flex-wrap items-center gap-1">
            {isSent ? <Reactions comment={comment} /> : null}
            {mayEdit ? (
              <Button variant="ghost" size="icon-sm" aria-label="Edit comment" data-tooltip="Edit" onClick={() => edit(text)}>
                <Icon of={Pencil} />
              </Button>
            ) : null}
            {mayRemove ? (
              <Button variant="ghost" size="icon-sm" aria-label="Delete comment" data-tooltip="Delete" onClick={() => setMode("removing")}>
                <Icon of={Trash} />
              </Button>
            ) : null}
          </div>
        )}
      </div>
    </div>
  );
}

type EditProps = {
  comment: Comment;
  itemId: string;
  me: { userId: string };
  projectId: string;
  from: string;
  onDone: () => void;
  onRejected: (current: string | undefined) => void;
};

function EditComment({ comment: { _id, text, images }, itemId, me, projectId, from, onDone, onRejected }: EditProps) {
  const place = `edit-${_id}`;
  const draft = useDraft(me.userId, place, { ...fromTokens(text), images });
  const { edit } = useWriting();
  return (
    <Composer
      draft={draft}
      label="Comment text"
      submit="Save"
      projectId={projectId}
      itemId={itemId}
      autoFocus
      onCancel={() => {
        draft.take();
        onDone();
      }}
      onSend={async (changed, taken) => {
        onDone();
        try {
          await edit(_id, changed, from, taken.images);
        } catch (error) {
          const current = refusalOf(error)?.current;
          writeDraft(me.userId, place, { ...taken, at: Date.now() });
          onRejected(current);
          await toast(current === undefined ? problemOf(error) : `${problemOf(error)} Save again to overwrite it.`);
        }
      }}
    />
  );
}

type ConfirmRemovalProps = { onConfirm: () => void; onConfirmAll: (() => void) | undefined; onCancel: () => void };

function ConfirmRemoval({ onConfirm, onConfirmAll, onCancel }: ConfirmRemovalProps) {
  const cancel = useRef<HTMLButtonElement>(null);
  useEffect(() => cancel.current?.focus(), []);
  return (
    <div role="group" aria-label="Delete this comment?" className="flex flex-wrap items-center gap-2">
      <p className="text-sm">Delete this comment?</p>
      <Button ref={cancel} size="sm" onClick={onCancel}>
        Cancel
      </Button>
      <Button size="sm" variant="danger" onClick={onConfirm}>
        Delete
      </Button>
      {onConfirmAll ? (
        <Button size="sm" variant="danger" onClick={onConfirmAll}>
          Delete all by this author through the link
        </Button>
      ) : null}
    </div>
  );
}
