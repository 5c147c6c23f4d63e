import type { FunctionReturnType } from "convex/server";
import { deviceName } from "~/accounts/device-name";
import { providerName } from "~/accounts/providers";
import type { api } from "#convex/_generated/api";

export type ShownNotice = FunctionReturnType<typeof api.notices.getNotices>[number];
type Notice = ShownNotice["notice"];

/** What happened, what to know about it, and where it can be looked at and undone. */
type Words = {
  title: string;
  text: string;
  look: { at: "/account" | "/account/security" | "/account/sessions" | "/account/connections"; label: string };
};

/** A notice in words: the same in the app and in mails, except for what a mail must not tell. */
export function wordsOf(notice: Notice): Words {
  switch (notice.kind) {
    case "signIn": {
      const from = notice.ipAddress === "" ? "" : `, from ${notice.ipAddress}`;
      return {
        title: "New sign-in",
        text: `${deviceName(notice.userAgent)}${from}. It was not used with your account before.`,
        look: sessions,
      };
    }
    case "passwordChanged":
      return { title: "Password changed", text: "From now on only the new password opens your account.", look: security };
    case "passwordAdded":
      return { title: "Password added", text: "Your account can now be opened with a password too.", look: security };
    case "emailChanged":
      return { title: "Email address changed", text: `Your account's address was ${notice.from} and is ${notice.to} now.`, look: profile };
    case "twoFactorEnabled":
      return { title: "Two-factor authentication is on", text: "Signing in asks for a code from now on.", look: security };
    case "twoFactorDisabled":
      return { title: "Two-factor authentication is off", text: "Signing in no longer asks for a code.", look: security };
    case "passkeyAdded":
      return {
        title: "Passkey added",
        text: `Your account can now be opened with ${notice.name === "" ? "a new passkey" : `the passkey “${notice.name}”`} too.`,
        look: security,
      };
    case "providerLinked":
      return {
        title: "Sign-in provider linked",
        text: `Your account can now be opened with ${providerName(notice.providerId)} too.`,
        look: connections,
      };
  }
}

const profile = { at: "/account", label: "your account" } as const;
const security = { at: "/account/security", label: "password and security" } as const;
const sessions = { at: "/account/sessions", label: "your sessions" } as const;
const connections = { at: "/account/connections", label: "your connections" } as const;
