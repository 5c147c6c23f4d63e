import { Link } from "react-router";
import { IntentForm, useIntentForm } from "~/forms/intent-form";
import { Button } from "~/ui/button";
import { cx } from "~/ui/cx";
import { RelativeTime } from "~/ui/relative-time";
import { type ShownNotice, wordsOf } from "./words";

/** What happened to the visitor's account, the unread first. */
export function NoticeList({ notices }: { notices: ShownNotice[] }) {
  return (
    <ul aria-label="Notifications" className="grid gap-2">
      {notices.map((notice) => (
        <li key={notice._id}>
          <NoticeCard notice={notice} />
        </li>
      ))}
    </ul>
  );
}

function NoticeCard({ notice: { _id, notice, at, read } }: { notice: ShownNotice }) {
  const { title, text, look } = wordsOf(notice);
  return (
    <article
      className={cx("flex flex-wrap items-start gap-x-6 gap-y-3 rounded-lg border border-line p-4", read ? "bg-transparent" : "bg-card")}
    >
      <div className="grid min-w-0 flex-1 basis-64 gap-1">
        <h2 className="flex flex-wrap items-baseline gap-x-2 text-base font-medium">
          {read ? null : (
            <span className="size-2 self-center rounded-full bg-accent">
              <span className="sr-only">Unread: </span>
            </span>
          )}
          {title}
          <span className="text-sm font-normal text-faint">
            <RelativeTime at={at} />
          </span>
        </h2>
        <p className="text-soft wrap-anywhere">
          {text} If it was not you, look at{" "}
          <Link to={look.at} prefetch="intent" className="text-accent-text underline underline-offset-4">
            {look.label}
          </Link>
          .
        </p>
      </div>
      {read ? null : <MarkRead id={_id} title={title} />}
    </article>
  );
}

function MarkRead({ id, title }: { id: string; title: string }) {
  const state = useIntentForm({ id: `read-${id}`, intent: "markRead" });
  return (
    <IntentForm state={state} hidden={{ id }}>
      <Button type="submit" size="sm" aria-label={`Mark as read: ${title}`}>
        Mark as read
      </Button>
    </IntentForm>
  );
}

export function MarkAllRead() {
  const state = useIntentForm({ id: "read-all", intent: "markAllRead" });
  return (
    <IntentForm state={state}>
      <Button type="submit">Mark all as read</Button>
    </IntentForm>
  );
}
