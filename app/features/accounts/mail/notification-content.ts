import { isolate } from "~/lib/ui/isolate";
import { type DateSettings, formatDate, localeFrom } from "~/lib/ui/time/date-format";
import {
  GUEST_SUFFIX,
  isOfProject,
  projectNotificationLink,
  projectNotificationText,
  type ShownNotification,
} from "~/features/notifications/notification-text";
import type { Subscription } from "~/features/notifications/unsubscribe.server";
import { cleanName } from "#convex/model/names";
import type { Content, NotificationContent } from "./messages";

type Notices = Pick<NotificationContent, "notices" | "isDigest">;
type IsPlain = (name: string) => boolean;

const BY_IMPORTANCE: readonly ShownNotification["notice"]["kind"][] = ["mention", "reply", "comment"];

export function subscriptionIn({ notices, isDigest }: Notices): Subscription["from"] {
  const first = isDigest ? undefined : mostImportant(notices);
  return first && isOfProject(first.notice) ? first.notice.kind : "digest";
}

export function notificationContent(message: NotificationContent, isPlain: IsPlain): Content {
  const { url, unsubscribe } = message;
  const footLinks = [
    { label: "Change which emails you get", url: `${url}/account/notifications` },
    { label: "Unsubscribe", url: unsubscribe },
  ];
  const content = message.isDigest ? digest(message, isPlain) : single(message, isPlain);
  return { ...content, footLinks, unsubscribe };
}

function single({ notices, comments, url, ...place }: NotificationContent, isPlain: IsPlain): Omit<Content, "footLinks"> {
  const dates = datesOf(place);
  const first = mostImportant(notices);
  const text = first ? textOf(first, isPlain) : "";
  const link = first && linkOf(first, url);
  const { dueOn, note } = first?.about ?? {};
  const about = first && nameOf(first, isPlain);
  return {
    subject: text.replace(/\.$/, ""),
    lines: [
      text,
      ...(dueOn === undefined ? [] : [`Due ${formatDate(Date.parse(dueOn), "day", { ...dates, timeZone: "UTC" })}.`]),
      ...(first ? [`This happened on ${formatDate(first.at, "minute", dates)}.`] : []),
    ],
    quotes: [
      ...comments.map(({ author, isGuest = false, text: of }) => ({
        by: plainOr(author, isPlain, "Someone") + (isGuest ? GUEST_SUFFIX : ""),
        text: of,
      })),
      ...(note === undefined ? [] : [{ by: "Note", text: note }]),
    ],
    ...(link && { link }),
    foot: about
      ? `You receive this email because you have access to ${about}.`
      : "You receive this email because of your notification settings.",
  };
}

function digest({ notices, more, url, ...place }: NotificationContent, isPlain: IsPlain): Omit<Content, "footLinks"> {
  const dates = datesOf(place);
  const count = notices.length + more;
  const subject = count === 1 ? "1 notification" : `${count} notifications`;
  return {
    subject: `Daily digest: ${subject}`,
    lines: ["This happened in your projects since the last digest."],
    entries: notices.map((notice) => {
      const address = linkOf(notice, url)?.url;
      const detail = [notice.about?.project ?? "", formatDate(notice.at, "minute", dates)].filter((part) => part !== "");
      return { text: textOf(notice, isPlain), detail: detail.map(isolate).join(" · "), ...(address !== undefined && { url: address }) };
    }),
    link: { label: more > 0 ? `View ${more} more` : "View notifications", url: `${url}/notifications` },
    foot: "You get this digest once a day, if there is something new.",
  };
}

function mostImportant(notices: readonly ShownNotification[]): ShownNotification | undefined {
  const rank = ({ notice: { kind } }: ShownNotification) => (BY_IMPORTANCE.includes(kind) ? BY_IMPORTANCE.indexOf(kind) : 0);
  return notices.toSorted((a, b) => rank(a) - rank(b))[0];
}

/** Returns a notification's text. Replaces names that could contain a message or link, because strangers can send invitations. */
function textOf({ notice, about, access }: ShownNotification, isPlain: IsPlain): string {
  if (!isOfProject(notice)) return "";
  const actor = (name: string) => plainOr(name, isPlain, "Someone");
  const shown = {
    notice,
    ...(about && { about: { ...about, actor: actor(about.actor) } }),
    ...(access && { access: { ...access, actor: actor(access.actor), project: plainOr(access.project, isPlain, "") } }),
  };
  return projectNotificationText(shown).text ?? "";
}

function linkOf({ notice, ...shown }: ShownNotification, url: string): { label: string; url: string } | undefined {
  const link = isOfProject(notice) ? projectNotificationLink({ ...shown, notice }) : null;
  return link ? { label: link.label, url: url + link.to } : undefined;
}

function nameOf({ about }: ShownNotification, isPlain: IsPlain): string | null {
  const project = about?.project ?? "";
  return isPlain(cleanName(project)) ? `the project “${isolate(project)}”` : null;
}

const plainOr = (name: string, isPlain: IsPlain, other: string): string => (isPlain(cleanName(name)) ? name : other);

const datesOf = ({ locale, timeZone = null }: { locale?: string; timeZone?: string | null }): DateSettings => ({
  locale: locale ?? localeFrom(null),
  timeZone,
});
