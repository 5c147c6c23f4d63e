import type { FunctionReturnType } from "convex/server";
import { wordsOf } from "~/notices/words";
import type { api } from "#convex/_generated/api";

type Addressed = { to: string; name: string };
type Linked = Addressed & { url: string };
/** Whether nobody has shown yet that the address is theirs: then its first proof takes the account back (`plugins/reclaim.server.ts`). */
type Unproven = { unproven?: boolean };

/** A notice as the queue gives it. */
export type NoticeContent = Exclude<FunctionReturnType<typeof api.accounts.mail.outbox>[number]["content"], { sealed: string }>;

/** What a code by mail opens. */
export type CodePurpose = "sign-in" | "email-verification" | "forget-password" | "change-email" | "two-factor";

/** Everything that Atelier writes to people. */
export type Message =
  | ({ kind: "resetPassword" } & Linked & Unproven)
  | ({ kind: "verifyEmail" } & Linked)
  | ({ kind: "verifyNewEmail" } & Linked)
  | ({ kind: "confirmEmailChange"; newEmail: string } & Linked)
  | ({ kind: "deleteAccount" } & Linked)
  | ({ kind: "signInLink" } & Linked & Unproven)
  | ({ kind: "alreadySignedUp" } & Linked)
  | ({ kind: "code"; purpose: CodePurpose; code: string } & Addressed)
  | ({ kind: "notice" } & Addressed & NoticeContent & { url: string });

/** A message in words, for `template.ts` to give it a form. Plain text throughout: whatever people have written is escaped there. */
export type Letter = {
  to: string;
  subject: string;
  heading: string;
  paragraphs: string[];
  /** What to follow. */
  link?: { label: string; url: string };
  /** What to type. */
  code?: string;
  /** Why this came, and what to do if it should not have. */
  foot: string;
};

const ONE_HOUR = "The link works once, for an hour.";
const NEVER_CONFIRMED = "Your address was never confirmed, so this also removes what opened the account before:";
const NOT_YOU = "If you did not ask for this, there is nothing to do: without the link nothing changes.";

const codes: Record<CodePurpose, { subject: string; use: string; minutes?: string }> = {
  "sign-in": { subject: "Your sign-in code", use: "Enter this code to sign in." },
  "email-verification": { subject: "Your confirmation code", use: "Enter this code to confirm your address." },
  "forget-password": { subject: "Your code for a new password", use: "Enter this code to choose a new password." },
  "change-email": { subject: "Your code for a new address", use: "Enter this code to use this address for your account." },
  "two-factor": { subject: "Your sign-in code", use: "Enter this code to finish signing in.", minutes: "three" },
};

/** The words of a message. */
export function letterOf(message: Message): Letter {
  const { to } = message;
  switch (message.kind) {
    case "resetPassword":
      return {
        to,
        subject: "Choose a new password",
        heading: "Choose a new password",
        paragraphs: [
          greeting(message),
          "Somebody, hopefully you, asked for a new password for your account.",
          ONE_HOUR,
          ...(message.unproven ? [`${NEVER_CONFIRMED} passkeys, linked accounts and two-factor sign-in.`] : []),
        ],
        link: { label: "Choose a new password", url: message.url },
        foot: "If it was not you, there is nothing to do: your password stays as it is.",
      };
    case "verifyEmail":
      return {
        to,
        subject: "Confirm your email address",
        heading: "Confirm your email address",
        paragraphs: [greeting(message), "Please confirm that this address is yours.", "The link works for an hour."],
        link: { label: "Confirm this address", url: message.url },
        foot: "If you have no account at Atelier, somebody has mistyped their address: ignore this mail.",
      };
    case "verifyNewEmail":
      return {
        to,
        subject: "Confirm your new email address",
        heading: "Confirm your new email address",
        paragraphs: [
          greeting(message),
          "This address was given for your account. Once you confirm it, it takes the place of the old one.",
          "The link works for an hour.",
        ],
        link: { label: "Use this address", url: message.url },
        foot: NOT_YOU,
      };
    case "confirmEmailChange":
      return {
        to,
        subject: "Confirm the change of your email address",
        heading: "Change your email address?",
        paragraphs: [
          greeting(message),
          `Somebody, hopefully you, wants ${message.newEmail} to be your account's address instead of this one.`,
          "Once you agree, we write to the new address to make sure that it is yours.",
          "The link works for an hour.",
        ],
        link: { label: "Change it", url: message.url },
        foot: "If it was not you, do not follow the link, and change your password: somebody else is signed in to your account.",
      };
    case "deleteAccount":
      return {
        to,
        subject: "Confirm that your account is to be deleted",
        heading: "Delete your account?",
        paragraphs: [
          greeting(message),
          "Following this link deletes your account with all projects, designs and images in it. They cannot be brought back.",
          "The link works once, for a day, in a browser in which you are signed in.",
        ],
        link: { label: "Delete my account", url: message.url },
        foot: "If it was not you, do not follow the link, and change your password: somebody else is signed in to your account.",
      };
    case "signInLink":
      return {
        to,
        subject: "Your link to sign in",
        heading: "Sign in to Atelier",
        paragraphs: [
          greeting(message),
          "Follow the link to sign in.",
          "It works once, for five minutes.",
          ...(message.unproven ? [`${NEVER_CONFIRMED} the password, passkeys, linked accounts and two-factor sign-in.`] : []),
        ],
        link: { label: "Sign in", url: message.url },
        foot: "If you did not ask for this, ignore it, and pass the link on to nobody.",
      };
    case "alreadySignedUp":
      return {
        to,
        subject: "You have an account already",
        heading: "You have an account already",
        paragraphs: [
          greeting(message),
          "Somebody, hopefully you, wanted to make an account with this address. There is one: sign in to it instead.",
        ],
        link: { label: "Sign in", url: message.url },
        foot: "If it was not you, there is nothing to do: nothing was changed.",
      };
    case "code":
      return {
        to,
        subject: codes[message.purpose].subject,
        heading: codes[message.purpose].subject,
        paragraphs: [greeting(message), codes[message.purpose].use, `It works for ${codes[message.purpose].minutes ?? "five"} minutes.`],
        code: message.code,
        foot: "Nobody who works on Atelier will ever ask you for it. If you did not ask for a code, ignore this mail.",
      };
    case "notice":
      return noticeLetter(message);
  }
}

function noticeLetter({ to, name, notice, at, url }: Message & { kind: "notice" }): Letter {
  const { title, text } = wordsOf(notice);
  // The old address may be in other hands by now: it need not learn the new one.
  const told = notice.kind === "emailChanged" ? "Your account now has another email address." : text;
  return {
    to,
    subject: title,
    heading: title,
    paragraphs: [greeting({ name }), told, `This happened on ${new Date(at).toUTCString()}.`],
    link: { label: "Look at your notifications", url },
    foot: "If this was you, there is nothing to do. If not, choose a new password at once, and sign out everywhere else.",
  };
}

/** What mail programs make links of: addresses with a scheme or without, and of mailboxes. */
const LINKED = /:\/\/|www\.|@|[\p{L}\p{N}]\.\p{L}{2,}/iu;
/** Longer than the names that people have; a message of its own fits into more. */
const GREETED_LENGTH = 80;

/**
 * By name, if it is only that. Whoever signs up with somebody else's address chooses what is read there, in a mail of ours: it is to say nothing,
 * and to lead nowhere.
 */
function greeting({ name }: { name: string }): string {
  const plain = name.replaceAll(/\p{Cc}+/gu, " ").trim();
  return plain === "" || plain.length > GREETED_LENGTH || LINKED.test(plain) ? "Hello," : `Hello ${plain},`;
}
