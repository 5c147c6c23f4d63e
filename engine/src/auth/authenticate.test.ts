import { describe, expect, it } from "vitest";
import { makeAdminKey } from "./admin-key.ts";
import { createAuthenticator } from "./authenticate.ts";

const key = makeAdminKey("test");
const authenticator = createAuthenticator(key, console.error);
const acting = (identity: unknown) => `Convex ${key}:${Buffer.from(JSON.stringify(identity)).toString("base64")}`;

describe("the Authorization header", () => {
  it("may be missing", async () => expect(await authenticator.fromHeader(undefined)).toEqual({ kind: "none" }));

  it("accepts the admin key", async () => expect(await authenticator.fromHeader(`Convex ${key}`)).toEqual({ kind: "admin" }));

  it("lets the administrator act as a user", async () => {
    expect(await authenticator.fromHeader(acting({ subject: "ada", issuer: "https://x", email: "a@x" }))).toEqual({
      kind: "admin",
      actingAs: { subject: "ada", issuer: "https://x", tokenIdentifier: "https://x|ada", email: "a@x" },
    });
  });

  it.each([
    ["a wrong key", `Convex ${makeAdminKey("test")}`, 403],
    ["a key cut short", `Convex ${key.slice(0, -1)}`, 403],
    ["an identity that is no JSON", `Convex ${key}:####`, 400],
    ["an identity without a subject", acting({ issuer: "x" }), 400],
    ["another scheme", "Basic abc", 401],
    ["a token that nobody issued", "Bearer abc", 401],
  ])("refuses %s", async (_what, header, status) => {
    await expect(authenticator.fromHeader(header)).rejects.toMatchObject({ status });
  });

  it("refuses administration without the admin key", async () => {
    await expect(authenticator.requireAdmin(undefined)).rejects.toMatchObject({ status: 401, code: "MissingAdminKey" });
  });
});

it("creates admin keys of 256 random bits in the command line's format", { tags: "@creates-admin-keys-256-random-bits" }, () => {
  expect(key).toMatch(/^test\|[0-9a-f]{64}$/);
  expect(makeAdminKey("test")).not.toBe(key);
});
