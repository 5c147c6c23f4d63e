import { expect, it } from "vitest";
import { notificationText } from "./notification-text";

it("names the device and its IP address if known", () => {
  const notice = { kind: "signIn", userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0" } as const;
  expect(notificationText({ ...notice, ipAddress: "192.0.2.1" }).text).toMatch(/^Firefox on Linux, from 192\.0\.2\.1\. /);
  expect(notificationText({ ...notice, ipAddress: "" }).text).toMatch(/^Firefox on Linux\. /);
});

it.each([
  [{ kind: "providerLinked", providerId: "github" } as const, "GitHub"],
  [{ kind: "passkeyAdded", name: "Laptop" } as const, "the passkey “Laptop”"],
  [{ kind: "passkeyAdded", name: "" } as const, "a new passkey"],
  [
    { kind: "providerLinked" as const, providerId: "google", removed: ["credential", "figma", "passkeys", "sessions", "tokens"] },
    ": the password, the link to Figma, the passkeys, and the sessions on other devices. Your projects are unchanged. To sign in with a password",
  ],
  [{ kind: "emailChanged", from: "old@example.com", to: "new@example.com" } as const, "old@example.com to new@example.com"],
])("%j has the text %s", (notice, message) => {
  expect(notificationText(notice).text).toContain(message);
});
