import * as fc from "fast-check";
import { expect, type Person, type RunningApp, test } from "../harness/test.ts";
import { stored } from "./hands.ts";

const post = (app: RunningApp, person: Person | null, path: string, body: BodyInit, type = "application/x-www-form-urlencoded") =>
  fetch(app.url + path, {
    method: "POST",
    redirect: "manual",
    headers: { Origin: app.url, "Content-Type": type, ...(person && { Cookie: person.cookieHeader }) },
    body,
  });

test("a preference leads back to our own pages only, whatever the form says", async ({ app, person }) => {
  const back = async (path: string) => {
    const answer = await post(app, person, "/preferences", new URLSearchParams({ theme: "light", back: path }).toString());
    return [answer.status, answer.headers.get("Location")];
  };
  expect(await back("/projects?x=1")).toEqual([303, "/projects?x=1"]);
  for (const path of [
    "//evil.example",
    "https://evil.example",
    "/\\evil.example",
    "/\t/evil.example",
    "/\n/evil.example",
    "/%09/evil.example",
    "/a\r\nSet-Cookie:x=1",
  ]) {
    expect(await back(path), JSON.stringify(path)).toEqual([303, "/"]);
  }
});

test("a form of many megabytes is refused before it is read, and changes nothing", async ({ app, person }) => {
  const large = "x".repeat(3_000_000);
  for (const [path, type] of [
    ["/projects", "application/x-www-form-urlencoded"],
    ["/projects.data", "application/x-www-form-urlencoded"],
    ["/sign-in", "application/x-www-form-urlencoded"],
    ["/sign-in", "multipart/form-data; boundary=x"],
    ["/uploads", "application/x-www-form-urlencoded"],
    ["/api/auth/sign-in/email", "application/json"],
  ] as const) {
    const answer = await post(app, person, path, `intent=createProject&name=${large}`, type);
    expect([path, answer.status]).toEqual([path, 413]);
    await answer.text();
  }
  expect(await stored(app, person)).toEqual([]);
});

test("whoever holds another's token without their session is nobody, and a session is who it is whatever token comes with it", async ({
  app,
  person,
  stranger,
}) => {
  const page = await fetch(`${app.url}/projects`, { headers: { Cookie: person.cookieHeader } });
  expect(page.headers.get("Cache-Control")).toContain("no-store");
  const token = page.headers
    .getSetCookie()
    .map((line) => line.split(";", 1)[0])
    .join("; ");
  expect(token).toContain("convex_token=");
  const shown = async (cookie: string) => {
    const answer = await fetch(`${app.url}/projects`, { headers: { Cookie: cookie }, redirect: "manual" });
    const html = await answer.text();
    return [answer.status, html.includes(person.email), html.includes(stranger.email)];
  };
  expect(await shown(token)).toEqual([302, false, false]);
  expect(await shown(`${stranger.cookieHeader}; ${token}`)).toEqual([200, false, true]);
  expect(await shown(`${token}; ${stranger.cookieHeader}`)).toEqual([200, false, true]);
  await post(app, person, "/sign-out", "");
  expect(await shown(`${person.cookieHeader}; ${token}`)).toEqual([302, false, false]);
});

test("what stands in an address, whatever it is, makes no fault", async ({ app, person }) => {
  const names = [
    "q",
    "type",
    "tag",
    "from",
    "to",
    "sort",
    "cursor",
    "page",
    "rename",
    "remove",
    "redirectTo",
    "error",
    "token",
    "a",
    "b",
    "mode",
    "w",
    "ott",
  ];
  const value = fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.string({ unit: "grapheme", maxLength: 200 }),
    fc.constantFrom(
      "",
      "null",
      "NaN",
      "-1",
      "1e999",
      "__proto__",
      "../..",
      "%",
      "%00",
      "%ff%fe",
      "\u0000",
      "[]",
      "{}",
      "2026-13-45",
      "(".repeat(300),
    ),
  );
  const paths = [
    "/search",
    "/projects",
    "/compare",
    "/trash",
    "/notifications",
    "/account",
    "/billing",
    "/sign-in",
    "/reset-password",
    "/error",
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...paths),
      fc.array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 5 }),
      fc.boolean(),
      async (path, pairs, raw) => {
        const encode = raw ? (text: string) => escape(text).replaceAll("%25", "%") : encodeURIComponent;
        const query = pairs.map(([name, text]) => `${name}=${encode(text.toWellFormed())}`).join("&");
        const { status } = await fetch(`${app.url}${path}?${query}`, { headers: { Cookie: person.cookieHeader }, redirect: "manual" });
        expect(status, `${path}?${query}`).toBeLessThan(500);
      },
    ),
    { numRuns: 150, seed: 20261121 },
  );
});
