import { type ReactNode, useState } from "react";
import { useLocation } from "react-router";
import { LATER_PAGES } from "~/lib/data/pagination/pages";
import { type Endless, useEndless } from "~/lib/data/pagination/use-endless";
import type { Preload, PreloadOf } from "~/lib/data/preload";
import { useLive } from "~/lib/data/use-live";
import { IntentForm, useIntentForm } from "~/lib/forms/intent-form";
import { useIsVisitor } from "~/lib/rights/rights";
import { Button, buttonClass } from "~/lib/ui/inputs/button";
import { EmptyState } from "~/lib/ui/empty-state";
import { Link } from "~/lib/ui/navigation/link";
import { MorePages } from "~/lib/ui/navigation/more-pages";
import { Page, PageHeader } from "~/lib/ui/page";
import { useScripted } from "~/lib/ui/use-scripted";
import type { api } from "#convex/_generated/api";
import type { Comment, Thread, ThreadFilter } from "../optimistic";
import { THREAD } from "../thread-address";
import { useMarkRead } from "../use-mark-read";
import { type Constraint, NewThread } from "./comment-forms";
import { FILTER, FILTERS, MEMBER_FILTERS } from "./filters";
import { ThreadCard, ThreadList, type ThreadPlace } from "./thread-list";

export type CommentsData = {
  threads: PreloadOf<typeof api.comments.listThreads>;
  thread: { own: PreloadOf<typeof api.comments.getThread>; replies: PreloadOf<typeof api.comments.listReplies> } | null;
  filter: ThreadFilter;
  isFirst: boolean;
  formKey: string;
  constraint: Constraint;
};

type CommentsPageProps = {
  trail: ReactNode;
  item: { _id: string; isUnread?: boolean; lastCommentAt?: number };
  place: ThreadPlace;
  data: CommentsData;
};

export function CommentsPage({ trail, item, place, data }: CommentsPageProps) {
  const { formKey, constraint } = data;
  useMarkRead(item);
  return (
    <Page className="grid-cols-[minmax(0,1fr)] gap-6">
      <PageHeader trail={trail} title="Comments">
        {item.isUnread ? <MarkRead itemId={item._id} /> : null}
      </PageHeader>
      {data.thread ? (
        <OneThread thread={data.thread} isFirst={data.isFirst} {...place} formKey={formKey} constraint={constraint} />
      ) : (
        <>
          <NewThread itemId={item._id} formKey={formKey} constraint={constraint} projectId={place.projectId} />
          <Threads data={data} {...place} />
        </>
      )}
    </Page>
  );
}

function Threads({ data, ...place }: ThreadPlace & { data: CommentsData }) {
  const page: Endless<Thread> = useEndless(data.threads as Preload<CommentsData["threads"]["value"]>);
  const unread = useFirstUnread(page.rows);
  return (
    <>
      <Filters chosen={data.filter} />
      {page.rows.length > 0 ? (
        <ThreadList threads={page.rows} unread={unread} {...place} formKey={data.formKey} constraint={data.constraint} />
      ) : (
        <EmptyState title="No comments" text={FILTERS.find(({ filter }) => filter === data.filter)?.empty ?? ""} className="max-w-3xl" />
      )}
      <MorePages itemNoun="threads" page={{ ...page, isFirst: data.isFirst }} />
    </>
  );
}

type OneThreadProps = ThreadPlace & {
  thread: NonNullable<CommentsData["thread"]>;
  isFirst: boolean;
  formKey: string;
  constraint: Constraint;
};

function OneThread({ thread: { own, replies }, isFirst, ...rest }: OneThreadProps) {
  const { pathname } = useLocation();
  const thread = useLive(own);
  const page: Endless<Comment> = useEndless(replies);
  const unread = useFirstUnread([thread]);
  return (
    <>
      <Link
        to={pathname}
        prefetch="intent"
        className="inline-flex min-h-6 items-center justify-self-start text-accent-text underline underline-offset-4 pointer-coarse:min-h-11"
      >
        All threads
      </Link>
      <div className="grid max-w-3xl grid-cols-[minmax(0,1fr)]">
        <ThreadCard thread={{ ...thread, replyCount: page.rows.length }} isUnread={unread.has(thread._id)} replies={page.rows} {...rest} />
      </div>
      <MorePages itemNoun="replies" page={{ ...page, isFirst }} />
    </>
  );
}

function Filters({ chosen }: { chosen: ThreadFilter }) {
  const { pathname, search } = useLocation();
  const isVisitor = useIsVisitor();
  const addressOf = (filter: ThreadFilter) => {
    const params = new URLSearchParams(search);
    for (const name of [LATER_PAGES, THREAD]) params.delete(name);
    if (filter === "open") params.delete(FILTER);
    else params.set(FILTER, filter);
    return { pathname, search: params.toString() };
  };
  return (
    <nav aria-label="Filter" className="flex flex-wrap gap-2">
      {FILTERS.filter(({ filter }) => !isVisitor || !MEMBER_FILTERS.includes(filter)).map(({ filter, label }) => (
        <Link
          key={filter}
          to={addressOf(filter)}
          prefetch="intent"
          replace
          preventScrollReset
          aria-current={filter === chosen ? "page" : undefined}
          className={buttonClass({ size: "sm" }, filter === chosen ? "bg-hover text-accent-text" : "")}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}

function MarkRead({ itemId }: { itemId: string }) {
  return useScripted() ? null : <MarkReadForm itemId={itemId} />;
}

function MarkReadForm({ itemId }: { itemId: string }) {
  const state = useIntentForm({ id: "comments-read", intent: "markCommentsRead" });
  return (
    <IntentForm state={state} hidden={{ itemId }} className="hidden noscript:block">
      <Button type="submit">Mark as read</Button>
    </IntentForm>
  );
}

function useFirstUnread(threads: Thread[]): ReadonlySet<string> {
  const [unread, setUnread] = useState<ReadonlySet<string>>(new Set());
  const added = threads.filter(({ _id, isUnread }) => isUnread && !unread.has(_id));
  if (added.length === 0) return unread;
  const all = new Set([...unread, ...added.map(({ _id }) => _id)]);
  setUnread(all);
  return all;
}
