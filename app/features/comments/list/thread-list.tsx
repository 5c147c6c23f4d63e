import { clsx } from "clsx";
import { memo, useEffect, useState } from "react";
import { useItemAddresses } from "~/lib/rights/item-addresses";
import { useMay } from "~/lib/rights/rights";
import { isPending } from "~/lib/data/pending";
import { Avatar } from "~/lib/ui/avatar";
import { count } from "~/lib/ui/count";
import { Link } from "~/lib/ui/navigation/link";
import { RelativeTime } from "~/lib/ui/time/relative-time";
import { ViaLinkBadge, useIsMine } from "../link-commenting";
import { CommentImageList } from "../attachments/comment-image-list";
import type { Comment, Thread } from "../optimistic";
import { CommentText } from "../text/comment-text";
import { THREAD, threadAddress } from "../thread-address";
import { type Constraint, DeleteForm, EditForm, ReplyForm, ResolveForm, useMayWrite } from "./comment-forms";
import { placeText } from "./place-text";
import { ReactionForm } from "./reaction-form";

export type ThreadPlace = {
  projectId: string;
  designId: string;
  imageId?: string | undefined;
  versionNumber?: number | undefined;
};

type ThreadListProps = ThreadPlace & {
  threads: Thread[];
  unread: ReadonlySet<string>;
  formKey: string;
  constraint: Constraint;
};

export function ThreadList({ threads, unread, ...rest }: ThreadListProps) {
  const isMeasured = useIsMeasured();
  return (
    <ol aria-label="Threads" data-measured={isMeasured || undefined} className="comment-threads">
      {threads.map((thread) => (
        <li key={thread.first.key}>
          <ThreadCard thread={thread} isUnread={unread.has(thread._id)} {...rest} />
        </li>
      ))}
    </ol>
  );
}

/** The first layout needs all heights, because the browser restores the scroll position. */
function useIsMeasured(): boolean {
  const [isMeasured, setMeasured] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setMeasured(true), MEASURED_MS);
    return () => clearTimeout(timer);
  }, []);
  return isMeasured;
}
const MEASURED_MS = 500;

type ThreadCardProps = Omit<ThreadListProps, "threads" | "unread"> & { thread: Thread; isUnread: boolean; replies?: Comment[] };

export const ThreadCard = memo(function ThreadCard({
  thread,
  isUnread,
  formKey,
  constraint,
  replies = thread.replies ?? [],
  ...place
}: ThreadCardProps) {
  const { _id, first, isResolved, resolvedBy, replyCount } = thread;
  const { projectId } = place;
  const addresses = useItemAddresses();
  const more = replyCount - replies.length;
  const isSent = !isPending(_id);
  return (
    <article
      aria-label={`${isUnread ? "Unread thread" : "Thread"} by ${first.author.name}`}
      className={clsx("grid grid-cols-[minmax(0,1fr)] gap-4 rounded-lg border bg-card p-4", isUnread && "border-accent")}
    >
      <PlaceLine thread={thread} isUnread={isUnread} {...place} />
      <CommentView comment={first} heading="h2" constraint={constraint} projectId={projectId} />
      {replies.length > 0 ? (
        <ol aria-label="Replies" className="grid grid-cols-[minmax(0,1fr)] gap-4 border-s border-line ps-4">
          {replies.map((reply) => (
            <li key={reply.key}>
              <CommentView comment={reply} heading="h3" constraint={constraint} projectId={projectId} />
            </li>
          ))}
        </ol>
      ) : null}
      {more > 0 && isSent ? (
        <Link
          to={threadAddress(place, _id, addresses)}
          prefetch="intent"
          className="justify-self-start text-accent-text underline underline-offset-4"
        >
          {count(more, "more reply", "more replies")}
        </Link>
      ) : null}
      {isSent ? (
        <div className="comment-actions">
          <ReplyForm thread={thread} formKey={formKey} constraint={constraint} projectId={projectId} />
          <ResolveForm thread={thread} />
          {isResolved ? <span className="text-sm text-faint">Resolved{resolvedBy === undefined ? "" : ` by ${resolvedBy}`}</span> : null}
        </div>
      ) : null}
    </article>
  );
});

type PlaceLineProps = ThreadPlace & { thread: Thread; isUnread: boolean };

function PlaceLine({ thread, isUnread, designId, imageId, versionNumber: current }: PlaceLineProps) {
  const addresses = useItemAddresses();
  const { versionNumber, _id } = thread;
  const isEarlier = versionNumber !== undefined && current !== undefined && versionNumber < current;
  const words = [placeText(thread), isEarlier ? `From version ${versionNumber}` : ""].filter((each) => each !== "");
  if (words.length === 0 && !isUnread) return null;
  return (
    <p className="flex flex-wrap gap-x-3 gap-y-1 text-sm text-faint">
      {isUnread ? <strong className="font-medium text-accent-text">New</strong> : null}
      {words.map((each) => (
        <span key={each}>{each}</span>
      ))}
      {thread.anchor && imageId !== undefined && !isPending(_id) ? (
        <Link
          to={`${addresses.image(designId, imageId)}?${THREAD}=${_id}`}
          prefetch="intent"
          className="text-accent-text underline underline-offset-4"
        >
          Show on image
        </Link>
      ) : null}
    </p>
  );
}

type CommentViewProps = { comment: Comment; heading: "h2" | "h3"; constraint: Constraint; projectId: string };

function CommentView({ comment, heading: Heading, constraint, projectId }: CommentViewProps) {
  const { _id, text, images, author, createdAt, editedAt, isDeleted, through } = comment;
  const isMine = useIsMine()(comment);
  const mayModerate = useMay()("moderate");
  const mayEdit = useMayWrite("editComment") && isMine;
  const mayDelete = useMayWrite("removeComment") && (isMine || mayModerate);
  const isSent = !isPending(_id);
  return (
    <div id={`comment-${_id}`} aria-busy={!isSent || undefined} className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1">
      <Avatar name={author.name} email="" image={null} className="mt-0.5 size-8" />
      <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-1">
        <Heading className="flex flex-wrap items-baseline gap-x-2 text-base font-medium">
          <bdi className="wrap-anywhere">{isMine ? "You" : author.name}</bdi>
          <ViaLinkBadge through={through} />
          <span className="text-sm font-normal text-faint">
            <RelativeTime at={createdAt} />
            {editedAt === undefined ? null : " · edited"}
          </span>
        </Heading>
        {isDeleted ? <p className="text-faint italic">Deleted comment</p> : text === "" ? null : <CommentText text={text} />}
        <CommentImageList images={images} />
        {isDeleted || !isSent ? null : (
          <div className="comment-actions">
            <ReactionForm comment={comment} />
            {mayEdit ? <EditForm comment={comment} constraint={constraint} projectId={projectId} /> : null}
            {mayDelete ? <DeleteForm comment={comment} projectId={projectId} /> : null}
          </div>
        )}
      </div>
    </div>
  );
}
