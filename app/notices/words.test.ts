import { expect, it } from "vitest";
import { wordsOf } from "./words";

it("names the device and where it came from, as far as it is known", () => {
  const notice = { kind: "signIn", userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0" } as const;
  expect(wordsOf({ ...notice, ipAddress: "192.0.2.1" }).text).toMatch(/^Firefox on Linux, from 192\.0\.2\.1\. /);
  expect(wordsOf({ ...notice, ipAddress: "" }).text).toMatch(/^Firefox on Linux\. /);
});

it.each([
  [{ kind: "providerLinked", providerId: "github" } as const, "GitHub"],
  [{ kind: "passkeyAdded", name: "Laptop" } as const, "the passkey “Laptop”"],
  [{ kind: "passkeyAdded", name: "" } as const, "a new passkey"],
  [{ kind: "emailChanged", from: "old@example.com", to: "new@example.com" } as const, "old@example.com and is new@example.com"],
])("%j is told with %s", (notice, told) => {
  expect(wordsOf(notice).text).toContain(told);
});
