import { Check, MapPin, MessageSquare, RotateCcw } from "lucide";
import { clsx } from "clsx";
import { memo } from "react";
import { isPending } from "~/lib/data/pending";
import { useMay } from "~/lib/rights/rights";
import { Icon } from "~/lib/ui/icons/icon";
import { Button } from "~/lib/ui/inputs/button";
import { count } from "~/lib/ui/count";
import { Composer } from "../composer/composer";
import { useDraft } from "../composer/use-draft";
import type { Thread } from "../optimistic";
import { CommentRow } from "./comment-row";
import { commentActions, useWriting } from "./use-comment-actions";
import { useReplies } from "./use-threads";

type ThreadCardProps = {
  thread: Thread;
  me: { userId: string; name: string };
  projectId: string;
  isSelected: boolean;
  startsReply: boolean;
  isNew: boolean;
  note: string | null;
  onSelect: (threadId: string) => void;
  onShow: (thread: Thread) => void;
};

export const threadElementId = (threadId: string) => `thread-${threadId}`;

export const ThreadCard = memo(function ThreadCard({
  thread,
  me,
  projectId,
  isSelected,
  startsReply,
  isNew,
  note,
  onSelect,
  onShow,
}: ThreadCardProps) {
  const { _id, first, replyCount, isResolved, resolvedBy, anchor } = thread;
  const may = useMay();
  const isSent = !isPending(_id);
  return (
    <article
      id={threadElementId(_id)}
      tabIndex={-1}
      aria-label={`Thread by ${first.author.name}${isResolved ? ", resolved" : ""}`}
      aria-current={isSelected || undefined}
      className={clsx("comment-thread", isSelected && "comment-thread-selected")}
    >
      <CommentRow comment={first} itemId={thread.itemId} me={me} projectId={projectId} note={note} isNew={isNew} />
      {isResolved ? <p className="text-sm text-faint">Resolved{resolvedBy ? ` by ${resolvedBy}` : ""}</p> : null}
      {isSelected && isSent ? (
        <Replies threadId={_id} itemId={thread.itemId} me={me} projectId={projectId} mayReply={may("comment")} startsReply={startsReply} />
      ) : null}
      {isSent ? (
        <div className="-ms-1 flex flex-wrap items-center gap-1">
          {isSelected ? null : (
            <Button variant="ghost" size="sm" onClick={() => onSelect(_id)}>
              <Icon of={MessageSquare} />
              {replyCount === 0 ? (may("comment") ? "Reply" : "Open thread") : count(replyCount, "reply", "replies")}
            </Button>
          )}
          {anchor ? (
            <Button variant="ghost" size="sm" onClick={() => onShow(thread)}>
              <Icon of={MapPin} />
              Show on image
            </Button>
          ) : null}
          {may("resolve") ? (
            <Button variant="ghost" size="sm" onClick={() => commentActions.resolve(_id, !isResolved)}>
              <Icon of={isResolved ? RotateCcw : Check} />
              {isResolved ? "Reopen" : "Resolve"}
            </Button>
          ) : null}
        </div>
      ) : null}
    </article>
  );
});

type RepliesProps = {
  threadId: string;
  itemId: string;
  me: { userId: string; name: string };
  projectId: string;
  mayReply: boolean;
  startsReply: boolean;
};

function Replies({ threadId, itemId, me, projectId, mayReply, startsReply }: RepliesProps) {
  const { rows, isLoading, more } = useReplies(threadId, true);
  const draft = useDraft(me.userId, threadId);
  const { send } = useWriting();
  return (
    <div className="comment-replies">
      {rows.length > 0 ? (
        <ol aria-label="Replies" className="grid gap-3">
          {rows.map((reply) => (
            <li key={reply.key}>
              <CommentRow comment={reply} itemId={itemId} me={me} projectId={projectId} />
            </li>
          ))}
        </ol>
      ) : null}
      {isLoading ? <p className="text-sm text-faint">Loading…</p> : null}
      {more ? (
        <Button variant="ghost" size="sm" onClick={more}>
          More replies
        </Button>
      ) : null}
      {mayReply ? (
        <Composer
          draft={draft}
          autoFocus={startsReply}
          label="Write a reply"
          submit="Send"
          projectId={projectId}
          itemId={itemId}
          asksName
          onSend={(text, taken) => send(me, { place: threadId, draft: taken, text, threadId })}
        />
      ) : null}
    </div>
  );
}
