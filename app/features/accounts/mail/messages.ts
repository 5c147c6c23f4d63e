import type { FunctionReturnType } from "convex/server";
import { isolate } from "~/lib/ui/isolate";
import { notificationText } from "~/features/notifications/notification-text";
import { notificationContent } from "./notification-content";
import type { api } from "#convex/_generated/api";
import { cleanName } from "#convex/model/names";

type Addressed = { to: string; name: string };
type Linked = Addressed & { url: string };
/** Whether the address was never verified: the first verification then reclaims the account (`plugins/reclaim.server.ts`). */
type Unproven = { unproven?: boolean };

type QueuedContent = FunctionReturnType<typeof api.accounts.mail.claimAll>[number]["content"];
export type NoticeContent = Extract<QueuedContent, { notice: unknown }>;
export type NotificationContent = Extract<QueuedContent, { notification: unknown }>["notification"] & { url: string; unsubscribe: string };

export type CodePurpose = "sign-in" | "email-verification" | "forget-password" | "change-email" | "two-factor";

export type Message =
  | ({ kind: "resetPassword" } & Linked & Unproven)
  | ({ kind: "verifyEmail" } & Linked)
  | ({ kind: "verifyNewEmail" } & Linked)
  | ({ kind: "confirmEmailChange"; newEmail: string } & Linked)
  | ({ kind: "deleteAccount" } & Linked)
  | ({ kind: "signInLink" } & Linked & Unproven)
  | ({ kind: "alreadySignedUp" } & Linked)
  | ({ kind: "invitation" } & Linked)
  | ({ kind: "projectInvitation"; project: string; inviter: { name: string; email: string }; unsubscribe?: string } & Linked)
  | ({ kind: "linkReport"; link: string; target: string; text: string } & Linked)
  | ({ kind: "test" } & Linked)
  | ({ kind: "backupWarning"; problem: string | null } & Linked)
  | ({ kind: "code"; purpose: CodePurpose; code: string } & Addressed)
  | ({ kind: "notice" } & Addressed & NoticeContent & { url: string })
  | ({ kind: "notification" } & NotificationContent);

export type MailContent = {
  to: string;
  subject: string;
  heading: string;
  paragraphs: string[];
  link?: { label: string; url: string };
  code?: string;
  quotes?: { by: string; text: string }[];
  entries?: { text: string; detail: string; url?: string }[];
  foot: string;
  footLinks?: { label: string; url: string }[];
  unsubscribe?: string;
};

const ONE_HOUR = "The link expires in one hour.";
const NEVER_VERIFIED = "Your email address was never verified, so this also removes the account's earlier sign-in methods:";
const SOMEONE_ELSE = "If this was not you, do not open the link. Change your password: someone else is signed in to your account.";

const codes: Record<CodePurpose, { subject: string; use: string; minutes?: string }> = {
  "sign-in": { subject: "Your sign-in code", use: "Enter this code to sign in." },
  "email-verification": { subject: "Your verification code", use: "Enter this code to verify your email address." },
  "forget-password": { subject: "Your password reset code", use: "Enter this code to choose a new password." },
  "change-email": { subject: "Your code to change your email address", use: "Enter this code to use this address for your account." },
  "two-factor": { subject: "Your sign-in code", use: "Enter this code to finish signing in.", minutes: "three" },
};

export type Content = { subject: string; heading?: string; lines: string[] } & Omit<MailContent, "to" | "heading" | "paragraphs">;

export function mailContentOf(message: Message): MailContent {
  const { subject, heading = subject, lines, ...rest } = contentOf(message);
  return { to: message.to, subject, heading, paragraphs: [greeting(message), ...lines], ...rest };
}

function contentOf(message: Message): Content {
  switch (message.kind) {
    case "resetPassword":
      return {
        subject: "Choose a new password",
        lines: [
          "Someone requested a password reset for your account.",
          "The link works once and expires in one hour.",
          ...(message.unproven ? [`${NEVER_VERIFIED} passkeys, linked accounts and two-factor authentication.`] : []),
        ],
        link: { label: "Choose a new password", url: message.url },
        foot: "If this was not you, ignore this email. Your password stays the same.",
      };
    case "verifyEmail":
      return {
        subject: "Verify your email address",
        lines: ["Verify that this email address is yours.", ONE_HOUR],
        link: { label: "Verify email address", url: message.url },
        foot: "If you have no Atelier account, someone entered your address by mistake. Ignore this email.",
      };
    case "verifyNewEmail":
      return {
        subject: "Verify your new email address",
        lines: ["This address was entered for your account. When you verify it, it replaces the old address.", ONE_HOUR],
        link: { label: "Use this address", url: message.url },
        foot: "If you did not request this, ignore this email. Nothing changes.",
      };
    case "confirmEmailChange":
      return {
        subject: "Verify your email address change",
        heading: "Change your email address?",
        lines: [
          `Someone requested to change your account's email address from this one to ${message.newEmail}.`,
          "After you confirm, we send a verification email to the new address.",
          ONE_HOUR,
        ],
        link: { label: "Change email address", url: message.url },
        foot: SOMEONE_ELSE,
      };
    case "deleteAccount":
      return {
        subject: "Confirm the deletion of your account",
        heading: "Delete your account?",
        lines: [
          "This link deletes your account with all its projects, designs and images. This cannot be undone.",
          "The link works once, expires in 24 hours, and opens only in a browser where you are signed in.",
        ],
        link: { label: "Delete my account", url: message.url },
        foot: SOMEONE_ELSE,
      };
    case "signInLink":
      return {
        subject: "Your sign-in link",
        heading: "Sign in to Atelier",
        lines: [
          "Open the link to sign in.",
          "It works once and expires in five minutes.",
          ...(message.unproven ? [`${NEVER_VERIFIED} the password, passkeys, linked accounts and two-factor authentication.`] : []),
        ],
        link: { label: "Sign in", url: message.url },
        foot: "If you did not request this, ignore this email. Do not share the link.",
      };
    case "alreadySignedUp":
      return {
        subject: "You already have an account",
        lines: ["Someone tried to create an account with this email address. You already have one: sign in instead."],
        link: { label: "Sign in", url: message.url },
        foot: "If this was not you, ignore this email. Nothing was changed.",
      };
    case "invitation":
      return {
        subject: "You are invited to Atelier",
        lines: ["Open the link to create your account.", "The link works once and expires in seven days."],
        link: { label: "Create an account", url: message.url },
        foot: "If you do not know why you received this email, ignore it. No account is created unless you use the link.",
      };
    case "test":
      return {
        subject: "Test email",
        lines: ["An administrator sent this message to test the mail server. It works."],
        link: { label: "Open the administration", url: message.url },
        foot: "You receive this email because you are an administrator of this installation.",
      };
    case "backupWarning":
      return {
        ...(message.problem === null
          ? { subject: "Backups work again", lines: ["The last backup was taken and passed its test."] }
          : {
              subject: "Backups need attention",
              lines: [`The problem: ${message.problem}.`, "The log of the app server has the reason."],
            }),
        link: { label: "Open the administration", url: message.url },
        foot: "You receive this email because you are an administrator of this installation.",
      };
    case "linkReport":
      return {
        subject: "A public link was reported",
        lines: [
          `A visitor reported the link ${message.link}, which shows ${message.target}.`,
          `To revoke the link, run this command on the server: npm run links -- revoke ${message.link}`,
          "The visitor wrote:",
          ...message.text
            .split(/\r?\n/)
            .filter((line) => line !== "")
            .map((line) => `> ${line}`),
        ],
        link: { label: "Open Atelier", url: message.url },
        foot: "You receive this email as the operator of Atelier. The visitor is anonymous.",
      };
    case "projectInvitation": {
      const { name, email } = message.inviter;
      const inviter = isPlainName(cleanName(name)) ? `${isolate(cleanName(name))} (${email})` : email;
      const project = isPlainName(message.project) ? `the project “${isolate(message.project)}”` : "a project";
      return {
        subject: "You are invited to a project",
        lines: [
          `${inviter} invites you to ${project}.`,
          "Open the link to accept. You need an account with this email address.",
          "The link works once and expires in seven days.",
        ],
        link: { label: "View invitation", url: message.url },
        foot: "If you do not know the sender, ignore this email. Nothing changes unless you accept.",
        ...(message.unsubscribe !== undefined && {
          unsubscribe: message.unsubscribe,
          footLinks: [{ label: "Unsubscribe from invitations", url: message.unsubscribe }],
        }),
      };
    }
    case "code": {
      const { subject, use, minutes = "five" } = codes[message.purpose];
      return {
        subject,
        lines: [use, `It expires in ${minutes} minutes.`],
        code: message.code,
        foot: "Nobody at Atelier will ask you for this code. If you did not request a code, ignore this email.",
      };
    }
    case "notification":
      return notificationContent(message, isPlainName);
    case "notice": {
      const { title, text } = notificationText(message.notice);
      // Another person may use the old address now, so the email does not reveal the new one.
      const event = message.notice.kind === "emailChanged" ? "Your account's email address was changed." : text;
      return {
        subject: title,
        lines: [event, `This happened on ${new Date(message.at).toUTCString()}.`],
        link: { label: "View notifications", url: message.url },
        foot: "If this was you, no action is needed. If not, change your password now and sign out of all other sessions.",
      };
    }
  }
}

const LINKED = /:\/\/|www\.|@|[\p{L}\p{N}]\.\p{L}{2,}/iu;
const GREETED_LENGTH = 80;

const isPlainName = (name: string): boolean => name !== "" && name.length <= GREETED_LENGTH && !LINKED.test(name) && !/\p{Cc}/u.test(name);

/** Returns a greeting without names that could contain a message or link: anyone can sign up with another person's address. */
function greeting({ name }: { name: string }): string {
  const plain = cleanName(name.toWellFormed().replaceAll(/\p{Cc}+/gu, " "));
  return isPlainName(plain) ? `Hello ${isolate(plain)},` : "Hello,";
}
