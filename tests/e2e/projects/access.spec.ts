import routes from "../../../app/routes.ts";
import { expect, test } from "../../harness/test.ts";
import { addPictures, makeDesign } from "../support/pictures.ts";

type Rule = "open" | "sign-in" | "hidden" | "refused" | "send only" | "development" | "auth api";

const RULES: Record<string, Rule> = {
  "/": "sign-in",
  "/sign-in": "open",
  "/sign-in/social": "send only",
  "/sign-up": "open",
  "/invitation": "open",
  "/switch-account": "sign-in",
  "/sign-out": "send only",
  "/two-factor": "sign-in",
  "/forgot-password": "open",
  "/reset-password": "open",
  "/verify-email": "open",
  "/error": "open",
  "/unsubscribe": "open",
  "/dev/ui": "development",
  "/dev/outbox": "development",
  "/*": "hidden",
  "/admin": "hidden",
  "/admin/people/:id": "hidden",
  "/admin/audit-log": "hidden",
  "/admin/links": "hidden",
  "/admin/storage": "hidden",
  "/admin/jobs": "hidden",
  "/admin/mail": "hidden",
  "/admin/health": "hidden",
  "/admin/settings": "hidden",
  "/admin/audit-log/export": "hidden",
  "/projects": "sign-in",
  "/projects/:id": "sign-in",
  "/design/:id": "sign-in",
  "/design/:id/images/:imageId": "sign-in",
  "/compare": "sign-in",
  "/projects/:id/images": "sign-in",
  "/projects/:id/activity": "sign-in",
  "/projects/:id/members": "sign-in",
  "/projects/:id/review": "sign-in",
  "/projects/:id/sharing": "sign-in",
  "/projects/:id/transfer": "sign-in",
  "/projects/:id/webhooks": "sign-in",
  "/shared": "sign-in",
  "/design/:id/comments": "sign-in",
  "/design/:id/images/:imageId/comments": "sign-in",
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
  "/account/notifications": "sign-in",
  "/account/tokens": "sign-in",
  "/account/export": "sign-in",
  "/account/activity": "sign-in",
  "/account/activity/export": "sign-in",
  "/.well-known/change-password": "sign-in",
  "/search": "sign-in",
  "/shortcuts": "sign-in",
  "/billing": "sign-in",
  "/notifications": "sign-in",
  "/api/auth/*": "auth api",
  "/api/v1/*": "refused",
  "/images/:id": "hidden",
  "/people/:id/picture": "hidden",
  "/s/:token": "hidden",
  "/s/:token/unlock": "hidden",
  "/s/:token/designs/:id": "hidden",
  "/s/:token/designs/:id/images/:imageId": "hidden",
  "/s/:token/images/:imageId": "hidden",
  "/s/:token/compare": "hidden",
  "/s/:token/report": "hidden",
  "/s/:token/comments": "send only",
  "/s/:token/designs/:id/comments": "hidden",
  "/s/:token/images/:imageId/comments": "hidden",
  "/s/:token/download/:file": "hidden",
  "/s/:token/files/:id": "hidden",
  "/s/:token/token": "refused",
  "/download/designs/:file": "sign-in",
  "/download/projects/:file": "sign-in",
  "/download/selection": "send only",
  "/uploads": "send only",
  "/uploads/batch": "send only",
  "/uploads/comment": "send only",
  "/uploads/:id": "send only",
  "/uploads/:id/finish": "send only",
  "/preferences": "send only",
  "/presence/leave": "send only",
  "/bulk": "sign-in",
  "/undo": "send only",
  "/share": "sign-in",
  "/share/images": "sign-in",
};

type Entry = { path?: string; index?: boolean; children?: Entry[] };

function addresses(entries: Entry[], above = ""): string[] {
  return entries.flatMap(({ path, index, children }) => {
    const own = path === undefined ? above : `${above}/${path}`;
    const frame = path !== undefined && !children?.some((child) => child.index) ? [own] : [];
    if (children) return [...frame, ...addresses(children, own)];
    return index || path !== undefined ? [own === "" ? "/" : own] : [];
  });
}

const all = [...new Set(addresses(routes))];
const concrete = (pattern: string) => pattern.replaceAll(/:\w+/g, "j57abc").replace("*", "nowhere/at/all");

test("access rules and routes list the same addresses", { tag: "@each-address-has-rule-each-rule" }, () => {
  expect(Object.keys(RULES).toSorted()).toEqual(all.toSorted());
});

test("signed out, each address answers by its rule", { tag: "@signed-out-each-address-answers-rule" }, async ({ app }) => {
  for (const pattern of all) {
    const rule = RULES[pattern];
    if (rule === "auth api") continue;
    const path = concrete(pattern);
    const answer = await fetch(app.url + path, { redirect: "manual" });
    const leads = answer.headers.get("Location") ?? "";
    const message = `${path}: ${answer.status} ${leads}`;
    await answer.arrayBuffer();
    if (rule === "open") expect(answer.status, message).toBe(200);
    else if (rule === "sign-in") expect([answer.status, leads.split("?")[0]], message).toEqual([302, "/sign-in"]);
    else if (rule === "refused") expect(answer.status, message).toBe(401);
    else if (rule === "send only") expect([302, 400, 401, 404, 405, 412], message).toContain(answer.status);
    else expect(answer.status, message).toBe(404);
    expectGuarded(answer, message);
  }
});

test(
  "signed in, each kind of response has the security headers",
  { tag: "@signed-each-kind-response-guarded" },
  async ({ app, person }) => {
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
      [405, "/uploads/batch"],
      [405, "/uploads/comment"],
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
      const message = `${init?.method ?? "GET"} ${address}: ${answer.status}`;
      expect(answer.status, message).toBe(status);
      expectGuarded(answer, message);
    }
  },
);

function expectGuarded({ headers }: Response, message: string): void {
  const policy = headers.get("Content-Security-Policy") ?? "";
  expect(policy, message).toContain("frame-ancestors 'none'");
  expect(policy, message).toMatch(/default-src '(?:self|none)'/);
  expect(Object.fromEntries(headers), message).toMatchObject({
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
  });
  for (const tells of ["Server", "X-Powered-By", "Access-Control-Allow-Origin"])
    expect(headers.has(tells), `${message}: ${tells}`).toBe(false);
}

test(
  "rejects cross-site requests at each address, for each unsafe method",
  { tag: ["@rejects-cross-site-requests-each-address", "@slow"] },
  async ({ app, person }) => {
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
  },
);
