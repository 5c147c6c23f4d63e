import { clsx } from "clsx";
import { useMay } from "~/lib/rights/rights";
import { isPending } from "~/lib/data/pending";
import { Avatar } from "~/lib/ui/avatar";
import { count } from "~/lib/ui/count";
import { Link } from "~/lib/ui/navigation/link";
import { RelativeTime } from "~/lib/ui/time/relative-time";
import { ThroughMark, useIsMine } from "../link-commenting";
import { CommentImageList } from "../attachments/comment-image-list";
import type { Comment, Thread } from "../optimistic";
import { CommentText } from "../text/comment-text";
import { type Constraint, DeleteForm, EditForm, ReplyForm, ResolveForm, useMayWrite } from "./comment-forms";
import { placeText } from "./place-text";
import { ReactionForm } from "./reaction-form";

export type ThreadPlace = {
  projectId: string;
  /** The number of the image's current version. */
  versionNumber?: number | undefined;
  threadAddress: (threadId: string) => string;
  imageAddress?: ((threadId: string) => string) | undefined;
};

type ThreadListProps = {
  threads: Thread[];
  unread: ReadonlySet<string>;
  place: ThreadPlace;
  formKey: string;
  constraint: Constraint;
};

export function ThreadList({ threads, unread, ...rest }: ThreadListProps) {
  return (
    <ol aria-label="Threads" className="grid max-w-3xl grid-cols-[minmax(0,1fr)] gap-4">
      {threads.map((thread) => (
        <li key={thread.first.key}>
          <ThreadCard thread={thread} isUnread={unread.has(thread._id)} {...rest} />
        </li>
      ))}
    </ol>
  );
}

type ThreadCardProps = Omit<ThreadListProps, "threads" | "unread"> & { thread: Thread; isUnread: boolean; replies?: Comment[] };

export function ThreadCard({ thread, isUnread, place, formKey, constraint, replies = thread.replies ?? [] }: ThreadCardProps) {
  const { _id, first, isResolved, resolvedBy, replyCount } = thread;
  const more = replyCount - replies.length;
  const isSent = !isPending(_id);
  return (
    <article
      aria-label={`${isUnread ? "Unread thread" : "Thread"} by ${first.author.name}`}
      className={clsx("grid grid-cols-[minmax(0,1fr)] gap-4 rounded-lg border bg-card p-4", isUnread && "border-accent")}
    >
      <PlaceLine thread={thread} isUnread={isUnread} place={place} />
      <CommentView comment={first} heading="h2" constraint={constraint} projectId={place.projectId} />
      {replies.length > 0 ? (
        <ol aria-label="Replies" className="grid grid-cols-[minmax(0,1fr)] gap-4 border-s border-line ps-4">
          {replies.map((reply) => (
            <li key={reply.key}>
              <CommentView comment={reply} heading="h3" constraint={constraint} projectId={place.projectId} />
            </li>
          ))}
        </ol>
      ) : null}
      {more > 0 && isSent ? (
        <Link to={place.threadAddress(_id)} prefetch="intent" className="justify-self-start text-accent-text underline underline-offset-4">
          {count(more, "more reply", "more replies")}
        </Link>
      ) : null}
      {isSent ? (
        <div className="comment-actions">
          <ReplyForm thread={thread} formKey={formKey} constraint={constraint} projectId={place.projectId} />
          <ResolveForm thread={thread} />
          {isResolved ? <span className="text-sm text-faint">Resolved{resolvedBy === undefined ? "" : ` by ${resolvedBy}`}</span> : null}
        </div>
      ) : null}
    </article>
  );
}

function PlaceLine({ thread, isUnread, place }: { thread: Thread; isUnread: boolean; place: ThreadPlace }) {
  const { versionNumber, _id } = thread;
  const isEarlier = versionNumber !== undefined && place.versionNumber !== undefined && versionNumber < place.versionNumber;
  const words = [placeText(thread), isEarlier ? `From version ${versionNumber}` : ""].filter((each) => each !== "");
  if (words.length === 0 && !isUnread) return null;
  return (
    <p className="flex flex-wrap gap-x-3 gap-y-1 text-sm text-faint">
      {isUnread ? <strong className="font-medium text-accent-text">New</strong> : null}
      {words.map((each) => (
        <span key={each}>{each}</span>
      ))}
      {thread.anchor && place.imageAddress && !isPending(_id) ? (
        <Link to={place.imageAddress(_id)} prefetch="intent" className="text-accent-text underline underline-offset-4">
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
          <ThroughMark through={through} />
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
