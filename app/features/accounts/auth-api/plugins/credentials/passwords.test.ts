import { createHash } from "node:crypto";
import { betterAuth } from "better-auth";
import { memoryAdapter } from "better-auth/adapters/memory";
import { describe, expect, it, vi } from "vitest";
import { passwords } from "./passwords.server";

const PASSWORD = "a password of somebody else";
const HASH = createHash("sha1").update(PASSWORD).digest("hex").toUpperCase();

type Settings = { breaches?: boolean; password?: string };

async function signUp(
  answer: () => Promise<Response>,
  { breaches = true, password = PASSWORD }: Settings = {},
): Promise<{ code: string | null; requests: string[] }> {
  const database = memoryAdapter({ user: [], session: [], account: [], verification: [], rateLimit: [] });
  const auth = betterAuth({
    database,
    baseURL: "http://localhost",
    secret: "a secret of at least thirty-two characters",
    emailAndPassword: { enabled: true },
    plugins: [passwords({ breaches })],
  });
  const fetch = vi.spyOn(globalThis, "fetch").mockImplementation(answer);
  const body = { name: "Ada", email: "ada@example.com", password };
  const code = await auth.api.signUpEmail({ body }).then(
    () => null,
    (error: unknown) => String(Reflect.get(Object(Reflect.get(Object(error), "body")), "code")),
  );
  return { code, requests: fetch.mock.calls.map(([input]) => (input instanceof Request ? input.url : input.toString())) };
}

describe("the check for breached passwords", () => {
  it(
    "rejects a breached password and sends only five digits of its hash",
    { tags: "@rejects-breached-password-sends-only-five" },
    async () => {
      const { code, requests } = await signUp(async () => new Response(`0018A45C4D1DEF81644B54AB7F969B88D65:1\r\n${HASH.slice(5)}:3\r\n`));
      expect(code).toBe("PASSWORD_BREACHED");
      expect(requests).toEqual([`https://api.pwnedpasswords.com/range/${HASH.slice(0, 5)}`]);
    },
  );

  it.each([
    ["that is not known", async () => new Response("0018A45C4D1DEF81644B54AB7F969B88D65:1")],
    ["that is padding", async () => new Response(`${HASH.slice(5)}:0`)],
    ["while the service is unavailable", async () => new Response("no", { status: 503 })],
    ["while there is no network", () => Promise.reject(new TypeError("fetch failed"))],
  ])("accepts a password %s", async (_, answer) => {
    expect((await signUp(answer)).code).toBeNull();
  });

  it("is disabled by default", async () => {
    const { code, requests } = await signUp(async () => new Response(`${HASH.slice(5)}:3`), { breaches: false });
    expect({ code, requests }).toEqual({ code: null, requests: [] });
  });
});

describe("the list of common passwords", () => {
  const unreachable = () => Promise.reject(new TypeError("fetch failed"));

  it("rejects common passwords in any letter case", async () => {
    expect((await signUp(unreachable, { password: "password123" })).code).toBe("PASSWORD_COMMON");
    expect((await signUp(unreachable, { password: "PassWord123" })).code).toBe("PASSWORD_COMMON");
  });
});
