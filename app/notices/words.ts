import type { FunctionReturnType } from "convex/server";
import { deviceName } from "~/accounts/device-name";
import type { api } from "#convex/_generated/api";

export type ShownNotice = FunctionReturnType<typeof api.notices.getNotices>[number];
type Notice = ShownNotice["notice"];

/** A notice in words: what happened, and what to know about it. The same in the app and in mails, except for what a mail must not tell. */
export function wordsOf(notice: Notice): { title: string; text: string } {
  switch (notice.kind) {
    case "signIn": {
      const from = notice.ipAddress === "" ? "" : `, from ${notice.ipAddress}`;
      return { title: "New sign-in", text: `${deviceName(notice.userAgent)}${from}. It was not used with your account before.` };
    }
    case "passwordChanged":
      return { title: "Password changed", text: "From now on only the new password opens your account." };
    case "passwordAdded":
      return { title: "Password added", text: "Your account can now be opened with a password too." };
    case "emailChanged":
      return { title: "Email address changed", text: `Your account's address was ${notice.from} and is ${notice.to} now.` };
    case "twoFactorEnabled":
      return { title: "Two-factor authentication is on", text: "Signing in asks for a code from now on." };
    case "twoFactorDisabled":
      return { title: "Two-factor authentication is off", text: "Signing in no longer asks for a code." };
    case "passkeyAdded":
      return {
        title: "Passkey added",
        text: `Your account can now be opened with ${notice.name === "" ? "a new passkey" : `the passkey “${notice.name}”`} too.`,
      };
    case "providerLinked":
      return { title: "Sign-in provider linked", text: `Your account can now be opened with ${providerName(notice.providerId)} too.` };
  }
}

/** "github" as it is written: "Github". Ids are one lower-case word. */
const providerName = (id: string) => id.charAt(0).toUpperCase() + id.slice(1);
