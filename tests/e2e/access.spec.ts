import routes from "../../app/routes.ts";
import { expect, test } from "../harness/test.ts";
import { addPictures, makeDesign } from "./pictures.ts";

type Rule =
  /** A page for whoever comes. */
  | "open"
  /** Leads to /sign-in and back. */
  | "sign-in"
  /** Is not there for who is signed out, as if it never was. */
  | "hidden"
  /** Takes forms and the like, and has nothing to read. */
  | "send only"
  /** Exists in development alone. */
  | "development"
  /** Guarded by its own rules (tests/api). */
  | "auth api";

/** What each address of app/routes.ts is to somebody who is signed out. One that is not named here fails the test below. */
const RULES: Record<string, Rule> = {
  "/": "sign-in",
  "/sign-in": "open",
  "/sign-in/social": "send only",
  "/sign-up": "open",
  "/sign-out": "send only",
  "/two-factor": "sign-in",
  "/forgot-password": "open",
  "/reset-password": "open",
  "/verify-email": "open",
  "/error": "open",
  "/dev/ui": "development",
  "/dev/outbox": "development",
  "/*": "hidden",
  "/projects": "sign-in",
  "/projects/:id": "sign-in",
  "/design/:id": "sign-in",
  "/design/:id/images/:imageId": "sign-in",
  "/compare": "sign-in",
  "/projects/:id/images": "sign-in",
  "/projects/:id/activity": "sign-in",
  "/design/:id/images/:imageId/move": "sign-in",
  "/design/:id/move": "sign-in",
  "/move/images": "sign-in",
  "/move/designs": "sign-in",
  "/trash": "sign-in",
  "/trash/:id/restore": "sign-in",
  "/account": "sign-in",
  "/account/security": "sign-in",
  "/account/sessions": "sign-in",
  "/account/connections": "sign-in",
  "/account/data": "sign-in",
  "/account/export": "sign-in",
  "/.well-known/change-password": "sign-in",
  "/search": "sign-in",
  "/shortcuts": "sign-in",
  "/billing": "sign-in",
  "/notifications": "sign-in",
  "/api/auth/*": "auth api",
  "/images/:id": "hidden",
  "/people/:id/picture": "hidden",
  "/download/designs/:file": "sign-in",
  "/download/projects/:file": "sign-in",
  "/download/selection": "send only",
  "/uploads": "send only",
  "/uploads/:id": "send only",
  "/uploads/:id/finish": "send only",
  "/preferences": "send only",
};

type Entry = { path?: string; index?: boolean; children?: Entry[] };

/** Every address that something answers: leaves of the table, and pages that frame others. */
function addresses(entries: Entry[], above = ""): string[] {
  return entries.flatMap(({ path, index, children }) => {
    const own = path === undefined ? above : `${above}/${path}`;
    // A page that others stand in answers by itself as well, unless one of them is its beginning.
    const frame = path !== undefined && !children?.some((child) => child.index) ? [own] : [];
    if (children) return [...frame, ...addresses(children, own)];
    return index || path !== undefined ? [own === "" ? "/" : own] : [];
  });
}

const all = [...new Set(addresses(routes))];
const concrete = (pattern: string) => pattern.replaceAll(/:\w+/g, "j57abc").replace("*", "nowhere/at/all");

test("each address has its rule, and each rule its address", () => {
  expect(Object.keys(RULES).toSorted()).toEqual(all.toSorted());
});

test("signed out, each address answers by its rule", async ({ app }) => {
  for (const pattern of all) {
    const rule = RULES[pattern];
    if (rule === "auth api") continue;
    const path = concrete(pattern);
    const answer = await fetch(app.url + path, { redirect: "manual" });
    const leads = answer.headers.get("Location") ?? "";
    const told = `${path}: ${answer.status} ${leads}`;
    await answer.arrayBuffer();
    if (rule === "open") expect(answer.status, told).toBe(200);
    else if (rule === "sign-in") expect([answer.status, leads.split("?")[0]], told).toEqual([302, "/sign-in"]);
    else if (rule === "send only") expect([302, 400, 401, 404, 405, 412], told).toContain(answer.status);
    else expect(answer.status, told).toBe(404);
    expectGuarded(answer, told);
  }
});

test("signed in, each kind of answer is guarded: pages, their data, forms taken and refused, pictures, originals, archives, uploads, what is not there", async ({
  app,
  person,
}) => {
  const { designId, path } = await makeDesign(app, person);
  const [imageId = ""] = await addPictures(app, person, designId, ["fig"]);
  const form = { "Content-Type": "application/x-www-form-urlencoded" };
  const tus = { "Tus-Resumable": "1.0.0" };
  const kinds: [status: number, path: string, init?: { method?: string; headers?: Record<string, string>; body?: string }][] = [
    [200, path],
    [200, `${path}.data`],
    [303, "/projects", { method: "POST", headers: form, body: "intent=createProject&name=Spring" }],
    [422, "/projects", { method: "POST", headers: form, body: "intent=createProject&name=" }],
    [403, "/projects", { method: "POST", headers: { ...form, Origin: "https://evil.example" }, body: "intent=createProject&name=x" }],
    [200, `/images/${imageId}?w=160`],
    [400, `/images/${imageId}?w=161`],
    [200, `/images/${imageId}?original=1`],
    [206, `/images/${imageId}?original=1`, { headers: { Range: "bytes=0-9" } }],
    [404, "/images/j57abc"],
    [200, `/download/designs/${designId}.zip`],
    [200, "/account/export"],
    [204, "/uploads", { method: "OPTIONS" }],
    [400, "/uploads", { method: "POST", headers: tus }],
    [404, "/uploads/none", { method: "PATCH", headers: tus }],
    [412, "/uploads/none", { method: "PATCH" }],
    [200, "/api/auth/get-session"],
    [
      401,
      "/api/auth/sign-in/email",
      { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"email":"a@b.de","password":"wrong"}' },
    ],
    [404, "/nowhere"],
    [405, "/projects", { method: "PROPFIND" }],
    [413, "/projects", { method: "POST", headers: form, body: "x".repeat(2_000_000) }],
  ];
  for (const [status, address, init] of kinds) {
    const headers = { Origin: app.url, Cookie: person.cookieHeader, ...init?.headers };
    const answer = await fetch(app.url + address, { ...init, headers, redirect: "manual" });
    await answer.arrayBuffer();
    const told = `${init?.method ?? "GET"} ${address}: ${answer.status}`;
    expect(answer.status, told).toBe(status);
    expectGuarded(answer, told);
  }
});

/** Nobody frames it, embeds it, sniffs in it or learns from where somebody came (OWASP Secure Headers). */
function expectGuarded({ headers }: Response, told: string): void {
  const policy = headers.get("Content-Security-Policy") ?? "";
  expect(policy, told).toContain("frame-ancestors 'none'");
  expect(policy, told).toMatch(/default-src '(?:self|none)'/);
  expect(Object.fromEntries(headers), told).toMatchObject({
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
  });
  for (const tells of ["Server", "X-Powered-By", "Access-Control-Allow-Origin"])
    expect(headers.has(tells), `${told}: ${tells}`).toBe(false);
}

test("what another site makes a browser send is refused at each address, by each unsafe method, signed in as well", async ({
  app,
  person,
}) => {
  const foreign: Record<string, string>[] = [
    { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" },
    { Origin: "null", "Sec-Fetch-Site": "cross-site" },
    { "Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate" },
  ];
  for (const pattern of all) {
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      for (const headers of foreign) {
        const answer = await fetch(app.url + concrete(pattern), {
          method,
          redirect: "manual",
          headers: { ...headers, Cookie: person.cookieHeader, "Content-Type": "application/x-www-form-urlencoded" },
          body: "intent=createProject&name=x",
        });
        await answer.arrayBuffer();
        expect([403, 405], `${method} ${pattern} ${JSON.stringify(headers)}: ${answer.status}`).toContain(answer.status);
      }
    }
  }
  const page = await fetch(`${app.url}/projects`, { headers: { Cookie: person.cookieHeader } });
  expect(await page.text()).toContain("No projects yet");
});
