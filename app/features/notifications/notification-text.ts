import { isolate } from "~/lib/ui/isolate";
import type { FunctionReturnType } from "convex/server";
import { deviceName } from "~/features/accounts/session/device-name";
import { providerName } from "~/features/accounts/session/provider-names";
import type { api } from "#convex/_generated/api";

export type ShownNotification = FunctionReturnType<typeof api.notices.list>[number];
type AccountNotice = FunctionReturnType<typeof api.notices.getNotices>[number]["notice"];
type CommentNotice = Extract<ShownNotification["notice"], { kind: "reply" | "mention" }>;
type ReviewNotice = Extract<ShownNotification["notice"], { kind: "reviewRequested" | "reviewGiven" }>;

export const isOfComment = (notice: ShownNotification["notice"]): notice is CommentNotice =>
  notice.kind === "reply" || notice.kind === "mention";

export const isOfReview = (notice: ShownNotification["notice"]): notice is ReviewNotice =>
  notice.kind === "reviewRequested" || notice.kind === "reviewGiven";

/** Returns null where the item is deleted or no longer shared. */
export function commentNotificationText(
  { kind }: CommentNotice,
  about: ShownNotification["about"],
): { title: string; text: string | null } {
  const title = kind === "reply" ? "New reply" : "New mention";
  if (!about) return { title, text: null };
  const [actor, item] = [isolate(about.actor), isolate(about.item)];
  return {
    title,
    text: kind === "reply" ? `${actor} replied to a comment on “${item}”.` : `${actor} mentioned you in a comment on “${item}”.`,
  };
}

/** `text` is null where the item is deleted or no longer shared. */
export function reviewNotificationText(notice: ReviewNotice, about: ShownNotification["about"]): { title: string; text: string | null } {
  const title = notice.kind === "reviewRequested" ? "Review requested" : "Review given";
  if (!about) return { title, text: null };
  const [actor, item] = [isolate(about.actor), `“${isolate(about.item)}”`];
  if (notice.kind === "reviewRequested") return { title, text: `${actor} requested your review of ${item}.` };
  const items = notice.count === undefined ? item : `${notice.count} items, among them ${item}`;
  return { title, text: `${actor} ${notice.status === "approved" ? "approved" : "requested changes to"} ${items}.` };
}

type Words = {
  title: string;
  text: string;
  link: { at: "/account" | "/account/security" | "/account/sessions" | "/account/connections"; label: string };
};

/** The same in the app and in mails, except for what a mail must not reveal. */
export function notificationText(notice: AccountNotice): Words {
  switch (notice.kind) {
    case "signIn": {
      const from = notice.ipAddress === "" ? "" : `, from ${notice.ipAddress}`;
      return {
        title: "New sign-in",
        text: `${deviceName(notice.userAgent)}${from}. This device was not used with your account before.`,
        link: sessions,
      };
    }
    case "passwordChanged":
      return { title: "Password changed", text: "Sign in with the new password from now on.", link: security };
    case "passwordAdded":
      return { title: "Password added", text: "You can now also sign in with a password.", link: security };
    case "emailChanged":
      return {
        title: "Email address changed",
        text: `Your account's email address changed from ${notice.from} to ${notice.to}.`,
        link: profile,
      };
    case "twoFactorEnabled":
      return { title: "Two-factor authentication is on", text: "Sign-in now requires a code.", link: security };
    case "twoFactorDisabled":
      return { title: "Two-factor authentication is off", text: "Sign-in no longer requires a code.", link: security };
    case "passkeyAdded":
      return {
        title: "Passkey added",
        text: `You can now also sign in with ${notice.name === "" ? "a new passkey" : `the passkey “${isolate(notice.name)}”`}.`,
        link: security,
      };
    case "providerLinked": {
      const provider = providerName(notice.providerId);
      if (notice.removed) return addressVerified(provider, notice.removed);
      return {
        title: "Sign-in provider linked",
        text: `You can now also sign in with ${provider}.`,
        link: connections,
      };
    }
  }
}

function addressVerified(provider: string, credentials: string[]): Words {
  const removed = [...new Set(credentials.flatMap(removedWords))];
  return {
    title: `Email address verified with ${provider}`,
    text:
      `You signed in with ${provider}, which verified that the address is yours. It was not verified before, so we removed ` +
      `all earlier access${removed.length === 0 ? "" : `: ${listed(removed)}`}. ` +
      "Your projects are unchanged. To sign in with a password again, set one under Password and security.",
    link: security,
  };
}

const REMOVED: Record<string, string | null> = {
  credential: "the password",
  passkeys: "the passkeys",
  twoFactor: "two-factor authentication",
  sessions: "the sessions on other devices",
  // Links and trusted devices, which need no mention.
  tokens: null,
};

function removedWords(removed: string): string[] {
  const words = Object.hasOwn(REMOVED, removed) ? REMOVED[removed] : `the link to ${providerName(removed)}`;
  return words ? [words] : [];
}

const listed = (items: string[]) => new Intl.ListFormat("en").format(items);

const profile = { at: "/account", label: "your account" } as const;
const security = { at: "/account/security", label: "password and security" } as const;
const sessions = { at: "/account/sessions", label: "your sessions" } as const;
const connections = { at: "/account/connections", label: "your connections" } as const;
