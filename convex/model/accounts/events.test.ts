import { expect, it } from "vitest";
import { eventOf } from "./events";

const user = { id: "u", email: "old@example.com", name: "Ada" };

it.each([
  [
    "a new session",
    "sessions",
    null,
    { userId: "u", device: "d", userAgent: "UA", ipAddress: "::1" },
    { kind: "sessionMade", device: "d", userAgent: "UA", ipAddress: "::1" },
  ],
  [
    "a new session without a device",
    "sessions",
    null,
    { userId: "u", userAgent: null },
    { kind: "sessionMade", device: null, userAgent: "", ipAddress: "" },
  ],
  ["a new account", "accounts", null, { userId: "u", providerId: "github" }, { kind: "accountMade", providerId: "github" }],
  ["another password", "accounts", { userId: "u", password: "a" }, { userId: "u", password: "b" }, { kind: "passwordChanged" }],
  ["a first password for a linked account", "accounts", { userId: "u" }, { userId: "u", password: "b" }, { kind: "passwordChanged" }],
  [
    "another address",
    "users",
    user,
    { ...user, email: "new@example.com" },
    { kind: "emailChanged", from: "old@example.com", to: "new@example.com" },
  ],
  ["a passkey", "passkeys", null, { userId: "u", name: "Laptop" }, { kind: "passkeyAdded", name: "Laptop" }],
  ["two factors on", "users", user, { ...user, twoFactorEnabled: true }, { kind: "twoFactorChanged", enabled: true }],
  [
    "two factors off",
    "users",
    { ...user, twoFactorEnabled: true },
    { ...user, twoFactorEnabled: false },
    { kind: "twoFactorChanged", enabled: false },
  ],
])("reports an event for %s", (_, model, before, after, event) => {
  expect(eventOf(model, before, after)).toEqual({ userId: "u", event });
});

it.each([
  ["a new user", "users", null, user],
  ["another name", "users", user, { ...user, name: "Grace" }],
  ["two factors that were never on", "users", user, { ...user, twoFactorEnabled: false }],
  ["a prolonged session", "sessions", { userId: "u" }, { userId: "u", expiresAt: 2 }],
  ["fresh tokens of a provider", "accounts", { userId: "u", accessToken: "a" }, { userId: "u", accessToken: "b" }],
  ["a row of nobody", "sessions", null, { device: "d" }],
  ["a used passkey", "passkeys", { userId: "u" }, { userId: "u", counter: 2 }],
  ["another table's row", "verifications", null, { userId: "u", password: "x" }],
])("reports no event for %s", (_, model, before, after) => {
  expect(eventOf(model, before, after)).toBeNull();
});
