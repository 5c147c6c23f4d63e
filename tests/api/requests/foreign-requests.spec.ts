import { randomUUID } from "node:crypto";
import { expect, test } from "../support/test.ts";
import { signInAgain } from "../support/program.ts";
import { raw } from "../support/raw.ts";
import { withSettings } from "../support/switches.ts";

const FOREIGN = "https://evil.example";

const TARGETS: [name: string, path: string, type: string, body: string][] = [
  ["the auth API", "/api/auth/sign-out", "application/json", "{}"],
  ["the auth API's endpoints that are ours", "/api/auth/account-info", "application/json", '{"accountId":"1"}'],
  ["sign-out", "/sign-out", "application/x-www-form-urlencoded", ""],
  ["sign-in by a provider", "/sign-in/social", "application/x-www-form-urlencoded", "provider=google"],
  ["a page's form", "/projects", "application/x-www-form-urlencoded", "intent=createProject&name=Evil"],
  ["a page's form, sent by a script", "/projects.data", "application/x-www-form-urlencoded", "intent=createProject&name=Evil"],
  ["a resource", "/preferences", "application/x-www-form-urlencoded", "theme=light"],
  ["uploads", "/uploads", "application/x-www-form-urlencoded", ""],
];
const OWN = "own";
const MATRIX: [cookie: boolean, origin: string | null, site: string | null, passes: boolean][] = [
  [true, OWN, "same-origin", true],
  [true, OWN, null, true],
  [false, null, null, true],
  [false, OWN, "same-origin", true],
  [true, null, null, false],
  [true, null, "same-origin", false],
  [true, "null", null, false],
  [true, FOREIGN, null, false],
  [true, FOREIGN, "cross-site", false],
  [true, OWN, "cross-site", false],
  [true, OWN, "same-site", false],
  [true, null, "cross-site", false],
  [false, FOREIGN, null, false],
  [false, "null", "cross-site", false],
  [false, null, "cross-site", false],
];
for (const [name, path, type, body] of TARGETS) {
  test(name, async ({ app, ada }) => {
    for (const [cookie, origin, site, passes] of MATRIX) {
      const headers = {
        "Content-Type": type,
        ...(cookie && { Cookie: (await signInAgain(ada)).cookieHeader }),
        ...(origin !== null && { Origin: origin === OWN ? app.url : origin }),
        ...(site !== null && { "Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" }),
      };
      const { status } = await raw(app.url + path, headers, body);
      expect(status === 403, JSON.stringify({ cookie, origin, site, status })).toBe(!passes);
    }
  });
}

test(
  "a cross-site request is rejected by every unsafe method and content type",
  { tag: ["@cross-site-request-rejected-every-unsafe", "@slow"] },
  async ({ app, ada }) => {
    const types = ["application/json", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=b", ""];
    const foreign: Record<string, string>[] = [
      { Origin: FOREIGN },
      { Origin: "null" },
      { Origin: `http://localhost.evil.example:${app.port}` },
      {},
    ];
    const through = [];
    for (const method of ["POST", "PUT", "PATCH", "DELETE"])
      for (const [, path] of [...TARGETS, ["", "/account"], ["", "/api/auth/update-user"]] as const)
        for (const type of types)
          for (const origin of foreign) {
            const headers = { ...origin, ...(type && { "Content-Type": type }), Cookie: ada.program.cookieHeader };
            const body = new TextEncoder().encode(type === "application/json" ? '{"name":"Eve"}' : "name=Eve");
            const { status } = await fetch(app.url + path, { method, headers, body, redirect: "manual" });
            if (status !== 403) through.push([method, path, type, origin, status]);
          }
    expect(through).toEqual([]);
    expect((await ada.program.get("/get-session")).body).toMatchObject({ user: { name: ada.name } });
  },
);

test(
  "accepts a cross-site POST to a provider's callback, protected by its state",
  { tag: "@accepts-cross-site-post-providers-callback" },
  async ({ app, ada }) => {
    const headers = {
      "Content-Type": "application/x-www-form-urlencoded",
      Origin: "https://appleid.apple.com",
      "Sec-Fetch-Site": "cross-site",
    };
    for (const Cookie of [undefined, ada.program.cookieHeader]) {
      const answer = await raw(`${app.url}/api/auth/callback/google`, { ...headers, ...(Cookie && { Cookie }) }, "code=a&state=b");
      expect([answer.status, answer.location]).toEqual([302, `${app.url}/api/auth/callback/google?code=a&state=b`]);
    }
    expect((await ada.program.get("/callback/google?code=a&state=b")).location).toBe("/error?error=state_not_found");
  },
);

test("a GET changes nothing, with any query", { tag: "@get-changes-nothing-whatever-query" }, async ({ ada }) => {
  for (const path of ["/sign-out", "/sign-in/social"]) await ada.program.get(ada.program.app.url + path);
  for (const path of ["/sign-out", "/delete-user", "/revoke-sessions", "/unlink-account"])
    expect((await ada.program.get(path)).status).toBe(404);
  expect(await ada.program.signedIn()).toBe(true);
});

withSettings({ APP_URL: "https://atelier.example", TRUSTED_PROXY_HOPS: "1", TRUSTED_ORIGINS: "https://shop.example" }, (fixtures) => {
  test("accepts only the public origin behind a TLS proxy with another Host", async () => {
    const inside = `http://127.0.0.1:${fixtures().app.port}`;
    const body = JSON.stringify({ name: "Ada", email: `${randomUUID()}@example.com`, password: "correct horse battery" });
    const send = (path: string, headers: Record<string, string>, sent: string, type = "application/json") =>
      fetch(inside + path, {
        method: "POST",
        redirect: "manual",
        headers: { "Content-Type": type, "X-Forwarded-For": "198.51.100.1", "X-Forwarded-Proto": "https", ...headers },
        body: sent,
      });
    const own = { Origin: "https://atelier.example" };
    const made = await send("/api/auth/sign-up/email", own, body);
    expect(made.status).toBe(200);
    const cookies = made.headers.getSetCookie();
    const session = cookies.find((line) => line.startsWith("__Host-atelier.session_token=")) ?? "";
    for (const line of cookies)
      expect(line).toMatch(/^__Host-[^;]+;(?=.*Path=\/(;|$))(?=.*HttpOnly)(?=.*Secure)(?=.*SameSite=Lax)(?!.*Domain)/);
    const Cookie = session.split(";", 1).join();
    const form = "intent=createProject&name=Poster";
    const urlencoded = "application/x-www-form-urlencoded";
    expect((await send("/projects", { ...own, Cookie }, form, urlencoded)).status).toBe(303);
    expect((await send("/api/auth/update-user", { ...own, Cookie }, '{"name":"Countess"}')).status).toBe(200);
    for (const Origin of [inside, "http://atelier.example", "https://atelier.example:8443", "https://atelier.example.evil.example"]) {
      expect((await send("/projects", { Origin, Cookie }, form, urlencoded)).status, Origin).toBe(403);
      expect((await send("/api/auth/update-user", { Origin, Cookie }, '{"name":"Eve"}')).status, Origin).toBe(403);
    }
  });

  test("redirects only to trusted origins", async () => {
    const inside = `http://127.0.0.1:${fixtures().app.port}/api/auth`;
    const headers = { Origin: "https://atelier.example", "Content-Type": "application/json", "X-Forwarded-Proto": "https" };
    const led = async (callbackURL: string) => {
      const link = `${inside}/reset-password/nothing?${new URLSearchParams({ callbackURL })}`;
      const { status, headers: responseHeaders } = await fetch(link, { headers, redirect: "manual" });
      return [status, responseHeaders.get("Location")];
    };
    expect(await led("/reset-password")).toEqual([302, "https://atelier.example/reset-password?error=INVALID_TOKEN"]);
    expect(await led("https://atelier.example/reset-password")).toEqual([
      302,
      "https://atelier.example/reset-password?error=INVALID_TOKEN",
    ]);
    expect(await led("https://shop.example/back")).toEqual([302, "https://shop.example/back?error=INVALID_TOKEN"]);
    for (const other of [
      "http://shop.example/back",
      "https://shop.example.evil.example/",
      "https://evil.example/https://shop.example",
      "https://a.shop.example/",
    ])
      expect(await led(other), other).toEqual([403, null]);
  });
});
