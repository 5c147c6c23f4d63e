import { rawPath } from "../support/raw.ts";
import { expect, test } from "../support/test.ts";

let start: number;
test.beforeEach(({ app }) => {
  start = app.output().length;
});

const JSON_BODY = { "Content-Type": "application/json" };

const WITHOUT_METHOD: [method: string, path: string, allowed: string][] = [
  ["POST", "/", "GET, HEAD"],
  ["POST", "/account/export", "GET, HEAD"],
  ["POST", "/images/none", "GET, HEAD"],
  ["POST", "/people/none/picture", "GET, HEAD"],
  ["POST", "/download/designs/none.zip", "GET, HEAD"],
  ["POST", "/download/projects/none.zip", "GET, HEAD"],
  ["GET", "/preferences", "POST"],
  ["GET", "/download/selection", "POST"],
];

test("answers 405 with the allowed methods, and logs no error", async ({ app, ada }) => {
  const headers = { ...JSON_BODY, Origin: app.url, Cookie: ada.program.cookieHeader };
  for (const [method, path, allowed] of WITHOUT_METHOD) {
    const answer = await fetch(app.url + path, { method, headers, redirect: "manual", ...(method === "POST" && { body: "{}" }) });
    expect([answer.status, answer.headers.get("Allow"), await answer.text()], path).toEqual([405, allowed, "Method Not Allowed\n"]);
  }
  for (const path of ["/error", "/search", "/error.data"]) {
    const answer = await fetch(app.url + path, { method: "POST", headers, body: "{}" });
    expect([answer.status, answer.headers.get("Allow")], path).toEqual([405, "GET, HEAD"]);
    await answer.text();
  }
  for (const path of ["/nowhere", "/projects"]) await fetch(app.url + path, { method: "POST", headers, body: "{}" });
  expect(errorsOf(app.output().slice(start))).toEqual([]);
});

test("refuses a broken origin and a bad callback URL with a warning", async ({ app, ada }) => {
  const form = { "Content-Type": "application/x-www-form-urlencoded", Cookie: ada.program.cookieHeader };
  for (const path of ["/sign-in", "/account", "/api/auth/sign-out"])
    expect((await rawPath(app.url, path, { ...form, Origin: "a, b" }, "x=1")).status, path).toBe(403);

  const { email, password } = ada;
  for (const callbackURL of ["/。/x", "/ä", "/a b", "https://evil.example", "//evil.example"]) {
    const answer = await ada.program.post("/sign-in/email", { email, password, callbackURL });
    expect([answer.status, answer.body], callbackURL).toEqual([403, { code: "INVALID_CALLBACK_URL", message: "Invalid callbackURL" }]);
  }
  expect(errorsOf(app.output().slice(start))).toEqual([]);
  const warnings = logged(app.output().slice(start)).filter(({ level }) => level === "warn");
  expect(warnings.length).toBeGreaterThan(0);
  expect(JSON.stringify(warnings)).not.toContain("stack");
});

test("warns of a provider's callback with a wrong state", async ({ app }) => {
  for (const search of ["?code=1&state=2", "?code=1", "?error=access_denied&state=2"])
    expect((await fetch(`${app.url}/api/auth/callback/github${search}`, { redirect: "manual" })).status, search).toBe(302);
  expect(errorsOf(app.output().slice(start))).toEqual([]);
});

test("redirects an export with an ended session to sign-in", async ({ app, ada, store }) => {
  await ada.program.get(`${app.url}/account`);
  await store.change("sessions", { userId: ada.id }, { expiresAt: Date.now() - 1000 });
  const answer = await ada.program.get(`${app.url}/account/export`);
  expect(errorsOf(app.output().slice(start))).toEqual([]);
  expect([answer.status, answer.location]).toEqual([302, "/sign-in?redirectTo=%2Faccount%2Fexport"]);
});

type Line = { level: string; msg: string };

function logged(output: string): Line[] {
  const lines = output.split("\n").filter((line) => line.startsWith("{"));
  return lines.map((line): Line => JSON.parse(line));
}

const errorsOf = (output: string) => logged(output).filter(({ level }) => level === "error");
