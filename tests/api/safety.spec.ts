import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { startApp } from "../harness/app.ts";
import { type Mailbox, startMailbox } from "../harness/mailbox.ts";
import { storeOf } from "../harness/store.ts";
import { again, type Answer, type Member, member, Program, text, through } from "./program.ts";
import { withSettings } from "./switches.ts";
import { expect, test } from "./test.ts";

const FOREIGN = "https://evil.example";

test.describe("What another site makes a browser send", () => {
  /** Unsafe addresses of every kind: the auth API, a page's form, a resource. Each is sent what would do something. */
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
  /** The headers that count, and whether such a request passes. A request without all of them is a program's. */
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
          ...(cookie && { Cookie: (await again(ada)).cookieHeader }),
          ...(origin !== null && { Origin: origin === OWN ? app.url : origin }),
          ...(site !== null && { "Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" }),
        };
        const { status } = await raw(app.url + path, headers, body);
        expect(status === 403, JSON.stringify({ cookie, origin, site, status })).toBe(!passes);
      }
    });
  }

  test("is refused by every method that changes something, whatever it is said to be", async ({ app, ada }) => {
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
  });

  test("a provider's callback may be posted from anywhere, and rests on its state", async ({ app, ada }) => {
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
  });

  test("a GET changes nothing, also where it looks like an order", async ({ ada }) => {
    for (const path of ["/sign-out", "/sign-in/social"]) await ada.program.get(ada.program.app.url + path);
    for (const path of ["/sign-out", "/delete-user", "/revoke-sessions", "/unlink-account"])
      expect((await ada.program.get(path)).status).toBe(404);
    expect(await ada.program.signedIn()).toBe(true);
  });
});

withSettings({ APP_URL: "https://atelier.example", TRUSTED_PROXY_HOPS: "1" }, (world) => {
  test("behind a proxy that ends TLS and tells another Host, forms and programs of the public origin pass, and no others", async () => {
    const inside = `http://127.0.0.1:${world().app.port}`;
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
});

test.describe("Where one may be led", () => {
  const NASTY = [
    "//evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/\\/evil.example",
    "///evil.example",
    "/%09/evil.example",
    "/%5cevil.example",
    "/%2fevil.example",
    "/\tevil.example",
    "/\n/evil.example",
    "https:evil.example",
    "https:/evil.example",
    "javascript:alert(1)",
    "data:text/html,x",
    "https://localhost.evil.example",
    "https://evil.example/http://localhost",
    "http://localhost@evil.example",
    "http://localhost:80%40evil.example",
    "//localhost@evil.example",
    "/..//evil.example",
    "/.//evil.example",
    "https://еvil.example",
    "http://[::1]@evil.example",
    " https://evil.example",
    "\u0000https://evil.example",
    "ftp://localhost",
    "http:\\\\evil.example",
  ];
  const PLACES: [name: string, send: (program: Program, target: string) => Promise<Answer>][] = [
    ["callbackURL of a sign-in", (p, callbackURL) => p.post("/sign-in/social", { provider: "google", callbackURL })],
    ["newUserCallbackURL", (p, newUserCallbackURL) => p.post("/sign-in/social", { provider: "google", newUserCallbackURL })],
    ["errorCallbackURL", (p, errorCallbackURL) => p.post("/sign-in/social", { provider: "google", errorCallbackURL })],
    ["callbackURL of a reset link", (p, target) => p.get(`/reset-password/x?callbackURL=${encodeURIComponent(target)}`)],
    ["callbackURL of a verification link", (p, target) => p.get(`/verify-email?token=x&callbackURL=${encodeURIComponent(target)}`)],
    ["callbackURL of a sign-in link", (p, target) => p.get(`/magic-link/verify?token=x&callbackURL=${encodeURIComponent(target)}`)],
    ["redirectTo of a sign-in page", (p, target) => p.get(`${p.app.url}/sign-in?redirectTo=${encodeURIComponent(target)}`)],
  ];

  for (const [name, send] of PLACES) {
    test(`${name}: only our own pages`, async ({ ada }) => {
      for (const target of NASTY) expectOurs(await send(ada.program, target), ada.program.app.url, target);
    });
  }

  test("whatever is made up", async ({ ada }) => {
    const piece = fc.constantFrom(
      "/",
      "\\",
      "//",
      "evil.example",
      "http:",
      "https:",
      "@",
      "%2f",
      "%5c",
      "%09",
      "\t",
      ".",
      "..",
      ":",
      "localhost",
      "?",
      "#",
      " ",
      "е",
    );
    const target = fc.array(piece, { minLength: 1, maxLength: 7 }).map((pieces) => pieces.join(""));
    await fc.assert(
      fc.asyncProperty(target, fc.constantFrom(...PLACES), async (made, [, send]) => {
        expectOurs(await send(ada.program, made), ada.program.app.url, made);
      }),
      { numRuns: 150 },
    );
  });
});

/** What is answered leads, if anywhere, to our own origin, as a browser reads it. Nothing that was accepted is kept for later. */
function expectOurs(answer: Answer, appUrl: string, target: string): void {
  const accepted = answer.status === 200 && answer.location === null;
  const locations = [answer.location, accepted ? target : null].filter((location) => location !== null);
  for (const location of locations) {
    const read = URL.parse(location, appUrl);
    const provider = read?.origin === "https://accounts.google.com" && read.href !== target;
    if (!provider) expect(read?.origin, `${JSON.stringify(target)} leads to ${location}`).toBe(appUrl);
  }
}

test.describe("Limits", () => {
  const attempt = (program: Program, headers: Record<string, string> = {}) =>
    program.post("/sign-in/email", { email: "nobody@example.com", password: "not this one" }, headers);

  withSettings({ ACCOUNTS_RATE_LIMIT: "true" }, (world) => {
    test("are by the address of the connection, whatever a request says of itself, and are kept in the database", async () => {
      const { app } = world();
      const program = new Program(app);
      const claims = ["X-Forwarded-For", "X-Real-IP", "CF-Connecting-IP", "Forwarded", "X-Client-IP", "x-atelier-client-address"];
      const statuses = [];
      for (const [index, name] of claims.entries()) statuses.push((await attempt(program, { [name]: `198.51.100.${index}` })).status);
      expect(statuses).toEqual([401, 401, 401, 429, 429, 429]);

      const refused = await attempt(program);
      const seconds = Number(refused.headers.get("Retry-After"));
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(10);
      const page = await raw(
        `${app.url}/sign-in`,
        { "Content-Type": "application/x-www-form-urlencoded" },
        "email=nobody%40example.com&password=wrong+one",
      );
      expect(page.status).toBe(429);
      expect(page.retryAfter).toMatch(/^\d+$/);
      expect(page.text).toContain("Too many attempts");

      await app.stop();
      await app.start();
      // However long that took: what was kept is still of the last ten seconds.
      const store = await storeOf(app);
      const kept = (await store.find("rateLimits", {})).filter(({ key }) => String(key).includes("/sign-in/email"));
      expect(kept).toMatchObject([{ count: 3 }]);
      for (const { id } of kept) await store.change("rateLimits", { id: String(id) }, { lastRequest: Date.now() });
      expect((await attempt(program)).status).toBe(429);

      // Whoever presses a provider's button too often has a page to read, as has whoever follows a link in a mail too often.
      const pressed = () => raw(`${app.url}/sign-in/social`, { "Content-Type": "application/x-www-form-urlencoded" }, "provider=google");
      for (let each = 0; each < 3; each++) expect((await pressed()).status).toBe(303);
      const told = await pressed();
      expect([told.status, told.retryAfter]).toEqual([429, expect.stringMatching(/^\d+$/)]);
      expect(told.text).toContain("Too many attempts");
      const follow = () => followedByPerson(app.url, "/api/auth/magic-link/verify?token=nothing");
      const first = await follow();
      expect([first.status, first.location]).toEqual([302, "/error?error=VERIFICATION_EMAIL_NOT_ENABLED"]);
      let last = first;
      for (let each = 0; each < 6; each++) last = await follow();
      expect([last.status, last.location]).toEqual([302, "/error?error=TOO_MANY_REQUESTS"]);
      expect((await program.get("/magic-link/verify?token=nothing")).status).toBe(429);
    });
  });

  withSettings({ ACCOUNTS_RATE_LIMIT: "true", TRUSTED_PROXY_HOPS: "1" }, (world) => {
    const from = async (address: string, times: number) => {
      const statuses = [];
      for (let n = 0; n < times; n++) statuses.push((await attempt(new Program(world().app), { "X-Forwarded-For": address })).status);
      return statuses;
    };

    test("behind a proxy are by the address that it tells, and by no other", async () => {
      expect(await from("198.51.100.1", 4)).toEqual([401, 401, 401, 429]);
      expect(await from("198.51.100.2", 1)).toEqual([401]);
      expect(await from("203.0.113.9, 198.51.100.1", 1)).toEqual([429]);
    });

    test("take an IPv6 network (/64) for one client", async () => {
      expect(await from("2001:db8:1:1::1", 2)).toEqual([401, 401]);
      expect(await from("2001:db8:1:1:ffff::2", 2)).toEqual([401, 429]);
      expect(await from("2001:db8:1:2::1", 1)).toEqual([401]);
    });

    test("hold for forms without scripts, for a change of address and of password, and for the older name of a reset", async ({
      social,
    }) => {
      expect(social).toBeDefined();
      const { app } = world();
      const once = (address: string, path: string, body: object) => new Program(app).post(path, body, { "X-Forwarded-For": address });
      const last = async (address: string, path: string, body: object) => {
        let status = 0;
        for (let n = 0; n < 4; n++) ({ status } = await once(address, path, body));
        return status;
      };
      expect(await last("198.51.100.11", "/change-email", { newEmail: "a@example.com" })).toBe(429);
      expect(await last("198.51.100.12", "/change-password", {})).toBe(429);
      expect(await last("198.51.100.13", "/forget-password", { email: "a@example.com" })).toBe(429);
      expect(await last("198.51.100.14", "/request-password-reset", { email: "a@example.com" })).toBe(429);
      expect(await last("198.51.100.15", "/sign-up/email", {})).toBe(429);
      expect(await last("198.51.100.16", "/two-factor/verify-totp", { code: "000000" })).toBe(429);
      expect(await last("198.51.100.17", "/sign-in/social", { provider: "google" })).toBe(429);
    });
  });
});

test.describe("Whether an account exists", () => {
  let mailbox: Mailbox;
  test.beforeAll(async () => {
    mailbox = await startMailbox();
  });
  test.afterAll(() => mailbox.close());

  test("is told by no status, body or header of sign-in, reset, sign-in link, code and resend", async () => {
    const app = await startApp({ SMTP_URL: mailbox.url });
    try {
      const ada = await member(app);
      const ask: [path: string, more?: object][] = [
        ["/sign-in/email", { password: "not this one" }],
        ["/request-password-reset", { redirectTo: "/reset-password" }],
        ["/forget-password", { redirectTo: "/reset-password" }],
        ["/sign-in/magic-link"],
        ["/email-otp/send-verification-otp", { type: "sign-in" }],
        ["/send-verification-email"],
      ];
      for (const [path, more] of ask) {
        const shape = ({ status, body, headers }: Answer) => ({ status, body, headers: [...headers.keys()] });
        const known = shape(await new Program(app).post(path, { email: ada.email, ...more }));
        const unknown = shape(await new Program(app).post(path, { email: `${randomUUID()}@example.com`, ...more }));
        expect(unknown, path).toEqual(known);
      }
    } finally {
      await app.dispose();
    }
  });

  test("is told by no work that is done for it: the same calls of the deployment and hashes of passwords", async () => {
    const folder = await mkdtemp(join(tmpdir(), "atelier-calls-"));
    const counted = join(folder, "calls");
    const preload = `--import ${new URL("../harness/count-calls.ts", import.meta.url)}`;
    const app = await startApp({ SMTP_URL: mailbox.url, NODE_OPTIONS: preload, COUNTED_CALLS: counted });
    try {
      const [ada, bob] = [await member(app), await member(app)];
      await (await storeOf(app)).change("users", { id: bob.id }, { emailVerified: true });
      // The mails that are written are sent meanwhile, and notices told: that is nobody's request.
      const done = async () => (await readFile(counted, "utf8")).split("\n").filter((call) => /^(store:|mail:queue|scrypt)/.test(call));
      const ask: [path: string, more?: object][] = [
        ["/sign-in/email", { password: "not this one" }],
        ["/request-password-reset", { redirectTo: "/reset-password" }],
        ["/forget-password", { redirectTo: "/reset-password" }],
        ["/sign-in/magic-link"],
        ["/send-verification-email"],
        ["/email-otp/send-verification-otp", { type: "sign-in" }],
        ["/email-otp/request-password-reset"],
        // What was just asked for, guessed until there were too many guesses.
        ...Array.from({ length: 5 }, (): [string, object] => ["/sign-in/email-otp", { otp: "wrong" }]),
        ["/email-otp/check-verification-otp", { type: "sign-in", otp: "wrong" }],
        ["/email-otp/reset-password", { otp: "wrong", password: "a fine password" }],
      ];
      const unknown = `${randomUUID()}@example.com`;
      for (const [path, more] of ask) {
        const seen = [];
        for (const email of [ada.email, bob.email, unknown]) {
          const before = (await done()).length;
          const { status, body } = await new Program(app).post(path, { email, ...more });
          seen.push({ status, body, work: (await done()).slice(before).toSorted() });
        }
        expect(seen[0]?.work, `${path} did ${JSON.stringify(seen)}`).not.toEqual([]);
        expect([seen[1], seen[2]], path).toEqual([seen[0], seen[0]]);
      }
    } finally {
      await app.dispose();
      await rm(folder, { recursive: true });
    }
  });

  test("a second factor is asked for after a sign-in link and a code, as after a password", async () => {
    const app = await startApp({ SMTP_URL: mailbox.url });
    try {
      const store = await storeOf(app);
      const ada = await member(app);
      await secondFactor(ada, store);

      const byPassword = await again(ada);
      expect(await byPassword.signedIn()).toBe(false);

      const byLink = new Program(app);
      await byLink.post("/sign-in/magic-link", { email: ada.email, callbackURL: "/projects?tab=1", errorCallbackURL: "/sign-in" });
      await expect.poll(() => mailbox.for(ada.email).some(({ link }) => link.includes("magic-link"))).toBe(true);
      const link = mailbox.for(ada.email).find(({ link }) => link.includes("magic-link"))?.link ?? "";
      const opened = await byLink.get(link);
      expect([opened.status, opened.location]).toEqual([302, `/two-factor?redirectTo=${encodeURIComponent("/projects?tab=1")}`]);
      expect(await byLink.signedIn()).toBe(false);
      expect(await new Program(app).get(link).then(({ location }) => location)).toMatch(/error=/);

      const byCode = new Program(app);
      await byCode.post("/email-otp/send-verification-otp", { email: ada.email, type: "sign-in" });
      const code = () => mailbox.for(ada.email).flatMap((mail) => /\b\d{6}\b/.exec(mail.text)?.[0] ?? [])[0];
      await expect.poll(code).toBeDefined();
      const entered = await byCode.post("/sign-in/email-otp", { email: ada.email, otp: code() });
      expect(entered.body).toMatchObject({ twoFactorRedirect: true });
      expect(await byCode.signedIn()).toBe(false);
    } finally {
      await app.dispose();
    }
  });
});

test.describe("Lessons of earlier versions of Better Auth", () => {
  test("a session that has ended is good for nothing, whatever a cookie still holds (2FA bypass through the cookie cache)", async ({
    ada,
    store,
  }) => {
    const program = await again(ada);
    const cookies = [...program.cookies.keys()];
    expect(cookies.some((name) => /session_data/.test(name))).toBe(false);
    await secondFactor(ada, store);
    const challenged = await again(ada);
    expect(await challenged.signedIn()).toBe(false);
    expect((await challenged.get("/list-accounts")).status).toBe(401);
    expect((await challenged.post("/two-factor/disable", { password: ada.password })).status).toBe(401);
  });

  test("a state of a sign-in by a provider is no sign-in link, and no other kind of token (CVE-2026-110862, CVE-2026-114607)", async ({
    app,
    nobody,
    social,
  }) => {
    const start = await nobody.post("/sign-in/social", { provider: "google" });
    const state = new URL(text(start, "url")).searchParams.get("state") ?? "";
    expect(social).toBeDefined();
    for (const token of [state, `auth-state:${state}`]) {
      const other = new Program(app);
      await other.get(`/magic-link/verify?token=${token}`);
      await other.get(`${app.url}/projects?ott=${token}`);
      expect(await other.signedIn()).toBe(false);
      expect((await other.post("/reset-password", { token, newPassword: "a new password" })).status).toBe(401);
    }
  });

  test("nobody is signed in to an account whose address they have not proven (automatic linking)", async ({ app, ada, social, store }) => {
    await store.change("users", { id: ada.id }, { emailVerified: true });
    const program = new Program(app);
    expect(await through(program, social, social.identity({ email: ada.email, email_verified: false }))).toMatch(
      /error=account_not_linked/,
    );
    expect(await program.signedIn()).toBe(false);
    const token = await social.idToken(social.identity({ email: ada.email, email_verified: false }));
    expect((await program.post("/sign-in/social", { provider: "google", idToken: { token } })).status).toBe(401);
  });

  test("an account that somebody opened with another's address is not theirs once its owner comes by a provider", async ({
    ada,
    social,
    app,
  }) => {
    // Ada never proved her address; whoever does so by a provider must not land in the account that she made and has the password of.
    const owner = new Program(app);
    expect(await through(owner, social, social.identity({ email: ada.email }))).toMatch(/error=account_not_linked/);
  });

  test("no field can be set that is not the person's own to set", async ({ ada, freshEmail, app, store }) => {
    await ada.program.post("/update-user", { name: "Ada", emailVerified: true, id: "1", twoFactorEnabled: true });
    expect((await ada.program.get("/get-session")).body).toMatchObject({
      user: { id: ada.id, emailVerified: false, twoFactorEnabled: false },
    });
    await new Program(app).post("/sign-up/email", {
      name: "Eve",
      email: freshEmail,
      password: "a fine password",
      emailVerified: true,
      id: "1",
      role: "admin",
    });
    const [row] = await store.find("users", { email: freshEmail });
    expect(row?.["emailVerified"] ?? false).toBe(false);
  });
});

test.describe("Passwords", () => {
  test("that are tried first are refused, wherever one is chosen", async ({ ada, nobody, store, freshEmail }) => {
    const common = "Football1".toLowerCase();
    const now = Date.now();
    await store.create("verifications", {
      id: randomUUID(),
      identifier: `reset-password:${ada.id}`,
      value: ada.id,
      expiresAt: now + 60_000,
      createdAt: now,
      updatedAt: now,
    });
    for (const password of [common, common.toUpperCase()]) {
      const answers = [
        await nobody.post("/sign-up/email", { name: "A", email: freshEmail, password }),
        await ada.program.post("/change-password", { currentPassword: ada.password, newPassword: password }),
        await nobody.post("/reset-password", { token: ada.id, newPassword: password }),
      ];
      for (const answer of answers) expect([answer.status, text(answer, "code")]).toEqual([400, "PASSWORD_COMMON"]);
    }
    for (const password of ["Atelier-2026", "ada.lovelace1", "--adalovelace", "Example.com99"]) {
      const answer = await nobody.post("/sign-up/email", { name: "Ada Lovelace", email: "ada@example.com", password });
      expect([answer.status, text(answer, "code")], password).toEqual([400, "PASSWORD_COMMON"]);
    }
    // A refused password uses no token up.
    expect((await nobody.post("/reset-password", { token: ada.id, newPassword: "a fine password" })).status).toBe(200);
  });

  test("no password and no token is printed", async ({ app, ada, nobody }) => {
    await nobody.post("/sign-in/email", { email: ada.email, password: "a password that is wrong" });
    for (const secret of [ada.password, "a password that is wrong", ada.program.cookieHeader.split("=")[1]?.slice(0, 20) ?? ""])
      expect(app.output()).not.toContain(secret);
  });
});

/** Says that the person has proven their second factor. */
async function secondFactor({ program, password, id }: Member, store: Awaited<ReturnType<typeof storeOf>>): Promise<void> {
  await program.post("/two-factor/enable", { password });
  await store.change("twoFactors", { userId: id }, { verified: true });
  await store.change("users", { id }, { twoFactorEnabled: true, emailVerified: true });
}

/** A link opened in a browser. */
const followedByPerson = (origin: string, path: string) =>
  raw(origin + path, { "Sec-Fetch-Dest": "document", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Site": "none" });

/** Posts the body, or gets what is there. */
async function raw(url: string, headers: Record<string, string>, body?: string) {
  const { request } = await import("node:http");
  const { hostname, port, pathname, search } = new URL(url);
  // Not fetch: it adds Fetch-Metadata of its own.
  return new Promise<{ status: number; location: string | null; retryAfter: string | null; text: string }>((resolve, reject) => {
    const sent = request(
      {
        hostname,
        port,
        path: pathname + search,
        method: body === undefined ? "GET" : "POST",
        headers: { ...headers, ...(body !== undefined && { "Content-Length": Buffer.byteLength(body) }) },
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.once("end", () =>
          resolve({
            status: answer.statusCode ?? 0,
            location: answer.headers.location ?? null,
            retryAfter: answer.headers["retry-after"] ?? null,
            text: Buffer.concat(chunks).toString("utf8"),
          }),
        );
      },
    );
    sent.once("error", reject);
    sent.end(body);
  });
}
