import { count } from "~/lib/ui/count";
import { isolate } from "~/lib/ui/isolate";
import type { FunctionReturnType } from "convex/server";
import { href } from "react-router";
import { deviceName } from "~/features/accounts/session/device-name";
import { providerName } from "~/features/accounts/session/provider-names";
import { threadAddress } from "~/features/comments/thread-address";
import type { api } from "#convex/_generated/api";
import { isNotificationKind, type NotificationKind } from "#convex/model/notifications/kinds";
import type { MemberRole } from "#convex/model/rights";

export type ShownNotification = FunctionReturnType<typeof api.notices.listAll>[number];
type AccountNotice = FunctionReturnType<typeof api.notices.getNotices>[number]["notice"];
type ProjectNotice = Extract<ShownNotification["notice"], { kind: NotificationKind }>;
type ProjectNotification = Pick<ShownNotification, "about" | "access" | "more"> & { notice: ProjectNotice };

export const isOfProject = (notice: ShownNotification["notice"]): notice is ProjectNotice => isNotificationKind(notice.kind);

/** Returns a notification's texts. `text` is null if the item is deleted or no longer shared, or the invitation has ended. */
export function projectNotificationText({ notice, about, access, more = 0 }: ProjectNotification): { title: string; text: string | null } {
  const title = titleFor(notice);
  if (notice.kind === "invitation" || notice.kind === "accessChanged") return { title, text: access ? accessText(notice, access) : null };
  const further = more === 0 ? "" : ` ${count(more, "more comment")} came through the same public link.`;
  return { title, text: about ? itemText(notice, about) + further : null };
}

function titleFor(notice: ProjectNotice): string {
  if (notice.kind !== "accessChanged") return TITLES[notice.kind];
  return notice.change.startsWith("transfer") ? "Project transfer" : "Access changed";
}

const TITLES = {
  comment: "New comment",
  reply: "New reply",
  mention: "New mention",
  reviewRequested: "Review requested",
  reviewGiven: "Review submitted",
  invitation: "Invitation",
} as const;

export const GUEST_SUFFIX = " (guest)";

type ItemNotice = Exclude<ProjectNotice, { kind: "invitation" | "accessChanged" }>;

function itemText(notice: ItemNotice, about: NonNullable<ShownNotification["about"]>): string {
  const isByGuest = "guest" in notice && notice.guest !== undefined;
  const [actor, item] = [isolate(about.actor) + (isByGuest ? GUEST_SUFFIX : ""), `“${isolate(about.item)}”`];
  switch (notice.kind) {
    case "comment":
      return `${actor} commented on ${item}.`;
    case "reply":
      return `${actor} replied to a comment on ${item}.`;
    case "mention":
      return `${actor} mentioned you in a comment on ${item}.`;
    case "reviewRequested":
      return `${actor} requested your review of ${item}.`;
    case "reviewGiven": {
      const items = notice.count === undefined ? item : `${notice.count} items, including ${item}`;
      return `${actor} ${notice.status === "approved" ? "approved" : "requested changes to"} ${items}.`;
    }
  }
}

type AccessNotice = Extract<ProjectNotice, { kind: "invitation" | "accessChanged" }>;

function accessText(notice: AccessNotice, access: NonNullable<ShownNotification["access"]>): string {
  const [actor, project] = [isolate(access.actor), access.project === "" ? "a project" : `the project “${isolate(access.project)}”`];
  const role = access.role ?? "viewer";
  if (notice.kind === "invitation") return `${actor} invites you to ${project} as ${article(role)}.`;
  switch (notice.change) {
    case "role":
      return `${actor} made you ${article(role)} of ${project}.`;
    case "removed":
      if (access.project === "") return "Projects that were shared with you were deleted with their owner's account.";
      return `${actor} removed you from ${project}.`;
    case "transferOffered":
      return `${actor} offers to transfer ${project} to you.`;
    case "transferAccepted":
      return `${actor} is now the owner of ${project}, and you are an editor.`;
    case "transferDeclined":
      return `${actor} declined the transfer of ${project}.`;
  }
}

const article = (role: MemberRole): string => (role === "editor" ? "an editor" : `a ${role}`);

export function projectNotificationLink({ notice, about, access }: ProjectNotification): { to: string; label: string } | null {
  if (notice.kind === "invitation")
    return access ? { to: `${href("/invitation")}?${INVITATION_ID}=${notice.invitationId}`, label: "View invitation" } : null;
  if (notice.kind === "accessChanged") return access ? accessLink(notice, access) : null;
  if (!about) return null;
  if ("threadId" in notice) return { to: threadAddress(about, notice.threadId), label: "View comment" };
  const { designId: id, imageId } = about;
  return imageId === undefined
    ? { to: href("/design/:id", { id }), label: "View design" }
    : { to: href("/design/:id/images/:imageId", { id, imageId }), label: "View image" };
}

export const INVITATION_ID = "id";

function accessLink(
  { change }: Extract<AccessNotice, { kind: "accessChanged" }>,
  { projectId: id }: NonNullable<ShownNotification["access"]>,
): { to: string; label: string } | null {
  if (change === "removed") return null;
  if (change === "transferOffered") return { to: href("/projects/:id/transfer", { id }), label: "View transfer" };
  return { to: href("/projects/:id", { id }), label: "View project" };
}

type Words = {
  title: string;
  text: string;
  link: { at: "/account" | "/account/security" | "/account/sessions" | "/account/connections"; label: string };
};

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
  // No text, because emailed links and trusted devices are not listed.
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
