import {
  AtSign,
  FingerprintPattern,
  KeyRound,
  Link2,
  LogIn,
  type IconNode,
  MessageCircleQuestionMark,
  MessageSquare,
  MessageSquareReply,
  ShieldCheck,
  ShieldOff,
  UserCheck,
  UserPlus,
  Users,
} from "lucide";
import { IntentForm, useIntentForm } from "~/lib/forms/intent-form";
import { Button } from "~/lib/ui/inputs/button";
import { clsx } from "clsx";
import { Icon } from "~/lib/ui/icons/icon";
import { Link } from "~/lib/ui/navigation/link";
import { CalendarDay } from "~/lib/ui/time/day";
import { RelativeTime } from "~/lib/ui/time/relative-time";
import {
  isOfProject,
  notificationText,
  projectNotificationLink,
  projectNotificationText,
  type ShownNotification,
} from "./notification-text";

export function NotificationList({ notices }: { notices: ShownNotification[] }) {
  return (
    <ul aria-label="Notifications" className="overflow-hidden rounded-lg border">
      {notices.map((notice) => (
        <li key={notice._id} className="border-b last:border-b-0">
          <NoticeCard notice={notice} />
        </li>
      ))}
    </ul>
  );
}

function NoticeCard({ notice: shown }: { notice: ShownNotification }) {
  const { _id, notice, at, read, about } = shown;
  const { title, text } = isOfProject(notice) ? projectNotificationText({ ...shown, notice }) : notificationText(notice);
  return (
    <article className={clsx("flex flex-wrap items-start gap-x-3 gap-y-3 p-4 pe-5", read ? "bg-transparent" : "bg-card")}>
      <Icon of={ICONS[notice.kind]} className={clsx("mt-0.5 size-4.5", read ? "text-faint" : "text-accent-text")} />
      <div className="grid min-w-0 flex-1 basis-64 gap-1">
        <h2
          className={clsx("flex flex-wrap items-baseline gap-x-2 text-base leading-normal", read ? "font-normal text-soft" : "font-medium")}
        >
          {read ? null : <span className="sr-only">Unread: </span>}
          {title}
          <span className="text-sm font-normal text-faint">
            <RelativeTime at={at} />
          </span>
        </h2>
        <p className={clsx("wrap-anywhere", read ? "text-faint" : "text-soft")}>
          {text ??
            (notice.kind === "invitation"
              ? "The invitation was accepted, has expired, or was revoked."
              : "The item was deleted, or you no longer have access.")}{" "}
          <NextStep notice={shown} />
        </p>
        {about?.dueOn === undefined ? null : (
          <p className="text-soft">
            Due <CalendarDay on={about.dueOn} />
          </p>
        )}
        {about?.note === undefined ? null : (
          <p dir="auto" className="whitespace-pre-line wrap-anywhere text-soft">
            {about.note}
          </p>
        )}
      </div>
      {read ? null : <MarkRead id={_id} title={title} />}
    </article>
  );
}

const LINK = "text-accent-text underline underline-offset-4";

function NextStep({ notice: { notice, ...shown } }: { notice: ShownNotification }) {
  if (!isOfProject(notice)) {
    const { link } = notificationText(notice);
    return (
      <>
        If this was not you, check{" "}
        <Link to={link.at} prefetch="intent" className={LINK}>
          {link.label}
        </Link>
        .
      </>
    );
  }
  const link = projectNotificationLink({ ...shown, notice });
  if (!link) return null;
  return (
    <Link to={link.to} prefetch="intent" className={LINK}>
      {link.label}
    </Link>
  );
}

const ICONS = {
  signIn: LogIn,
  passwordChanged: KeyRound,
  passwordAdded: KeyRound,
  emailChanged: AtSign,
  twoFactorEnabled: ShieldCheck,
  twoFactorDisabled: ShieldOff,
  passkeyAdded: FingerprintPattern,
  providerLinked: Link2,
  comment: MessageSquare,
  reply: MessageSquareReply,
  mention: AtSign,
  reviewRequested: MessageCircleQuestionMark,
  reviewGiven: UserCheck,
  invitation: UserPlus,
  accessChanged: Users,
} satisfies Record<ShownNotification["notice"]["kind"], IconNode>;

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
