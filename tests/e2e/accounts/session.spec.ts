import { storeOf } from "../../harness/store.ts";
import { withAndWithoutJavaScript, expect, hydrated, signIn, test } from "../../harness/test.ts";
import type { BrowserContext, Page } from "@playwright/test";
import { recordDelays } from "../support/delays.ts";

const TOKEN = "**/api/auth/convex/token";

async function openLive(page: Page) {
  const answered = page.waitForEvent("websocket").then((socket) => socket.waitForEvent("framereceived"));
  await page.goto("/projects");
  await hydrated(page);
  await answered;
}

const untilTokenEnds = (page: Page) => page.clock.fastForward("14:55");

async function createProject(page: Page, name: string) {
  await page.getByRole("button", { name: "New project" }).first().click();
  await page.getByLabel("Name").fill(name);
  await page.getByRole("button", { name: "Create project" }).click();
}

async function sessionCookie(context: BrowserContext) {
  const cookies = await context.cookies();
  return cookies.find(({ name }) => name === "atelier.session_token");
}

const RETRIES = { without: [100, 200, 400, 800, 1000, 1000, 1000, 1000, 1000, 1000], jitter: 0.5 };

test(
  "a page stays live past the end of its token, over a network that fails at first",
  { tag: "@page-stays-live-past-end-token" },
  async ({ page, person, otherBrowser }) => {
    await page.clock.install();
    const delays = await recordDelays(page);
    await openLive(page);

    let refused = 0;
    await page.route(TOKEN, (route) => (refused <= RETRIES.without.length ? (refused++, route.abort()) : route.continue()));
    const chance = 0.2;
    await page.evaluate((chance) => void (Math.random = () => chance), chance);
    const before = (await delays()).length;
    let fetched = false;
    page.on("response", (response) => (fetched ||= response.url().endsWith("/api/auth/convex/token") && response.ok()));
    await untilTokenEnds(page);
    const expected = RETRIES.without.map((ms) => ms * (1 - RETRIES.jitter * chance));
    const waited = async () => (await delays()).slice(before).filter((ms) => expected.includes(ms));
    await expect
      .poll(
        async () => {
          await page.clock.runFor(2000);
          return fetched;
        },
        { intervals: [50], timeout: 60_000 },
      )
      .toBe(true);
    expect(refused).toBe(RETRIES.without.length + 1);
    expect(await waited()).toEqual(expected);
    await page.clock.resume();

    const second = await otherBrowser(person);
    await second.goto("/projects");
    await hydrated(second);
    await createProject(second, "After the token");
    await expect(page.getByRole("main").getByRole("link", { name: /After the token/ })).toBeVisible();
  },
);

test(
  "an open page switches to the user who signed in since",
  { tag: "@open-page-switches-user-who-signed" },
  async ({ page, context, person, stranger, app }) => {
    await page.clock.install();
    await openLive(page);
    await expect(page.getByText(person.email)).toBeVisible();

    await context.clearCookies();
    await context.addCookies((await signIn(app.url, stranger)).cookies);
    await untilTokenEnds(page);
    await page.clock.resume();
    await expect(page.getByText(stranger.email)).toBeVisible();
    await expect(page.getByText(person.email)).toHaveCount(0);
  },
);

test("a page switches at once to the user who signs in in another tab", async ({ page, context, person, stranger, app }) => {
  await page.goto("/account");
  await hydrated(page);
  await page.getByLabel("Your name").fill("Half typed");
  await context.clearCookies();
  await context.addCookies((await signIn(app.url, stranger)).cookies);
  const other = await context.newPage();
  await other.goto("/projects");
  await hydrated(other);
  const shown = page.getByRole("complementary", { name: "Sidebar" });
  await expect(shown.getByText(stranger.email)).toBeVisible();
  await expect(page.getByText(person.email)).toHaveCount(0);
  await expect(page.getByLabel("Your name")).toHaveValue(stranger.name);
});

test("ends at once when its session is ended in another browser", async ({ page, person, app }) => {
  await page.goto("/projects");
  await hydrated(page);
  const elsewhere = await signIn(app.url, person);
  const answer = await fetch(`${app.url}/api/auth/revoke-other-sessions`, {
    method: "POST",
    headers: { Cookie: elsewhere.cookieHeader, Origin: app.url, "Content-Type": "application/json" },
    body: "{}",
  });
  expect(answer.status).toBe(200);
  await expect(page).toHaveURL("/sign-in");
});

test("reloads a page that the browser restores from its back/forward cache", async ({ page, context, person }) => {
  await page.goto("/projects");
  await hydrated(page);
  await expect(page.getByText(person.email)).toBeVisible();
  // Chromium does not cache pages with `no-store` and a connection; other browsers do.
  const dispatch = (type: string) =>
    page.evaluate((name) => void setTimeout(() => dispatchEvent(new PageTransitionEvent(name, { persisted: true }))), type);
  await dispatch("pagehide");
  await expect(page.getByText(person.email)).toBeHidden();
  await context.clearCookies();
  await dispatch("pageshow");
  await expect(page).toHaveURL("/sign-in");
  await expect(page.getByRole("button", { name: "Sign in", exact: true })).toBeVisible();
  await expect(page.getByText(person.email)).toHaveCount(0);
});

withAndWithoutJavaScript((javaScript) => {
  const ready = (page: Page) => (javaScript ? hydrated(page) : undefined);

  test(
    "the back button after signing out shows no earlier page",
    { tag: "@back-button-after-signing-out-shows" },
    async ({ page, person }) => {
      await page.goto("/account");
      await ready(page);
      const kept = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage, document.cookie]));
      for (const own of [person.email, person.name, "eyJ"]) expect(kept).not.toContain(own);
      for (const { value } of person.cookies.filter(({ name }) => name.includes("session"))) expect(kept).not.toContain(value);
      await page.getByRole("button", { name: new RegExp(person.name) }).click();
      await page.getByRole("button", { name: "Log out", exact: true }).click();
      await expect(page).toHaveURL("/sign-in");
      await page.goBack();
      await expect(page).toHaveURL(/\/sign-in/);
      await expect(page.getByText(person.email)).toHaveCount(0);
    },
  );

  test(
    "without staying signed in the cookie ends with the browser",
    { tag: "@without-staying-signed-cookie-ends-browser" },
    async ({ page, context, person }) => {
      for (const stay of [true, false]) {
        await context.clearCookies();
        await page.goto("/sign-in");
        await ready(page);
        await page.getByLabel("Email").fill(person.email);
        await page.getByLabel("Password", { exact: true }).fill(person.password);
        await page.getByLabel("Remember me").setChecked(stay);
        await page.getByRole("button", { name: "Sign in" }).click();
        await expect(page).toHaveURL("/projects");
        const cookie = await sessionCookie(context);
        expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Lax", path: "/" });
        if (stay) expect(cookie?.expires).toBeGreaterThan(Date.now() / 1000 + 6 * 24 * 3600);
        else expect(cookie?.expires).toBe(-1);
      }
    },
  );

  test("reports too many attempts in the form", { tag: "@slow" }, async ({ page, launch, context }) => {
    const app = await launch({ ACCOUNTS_RATE_LIMIT: "true" });
    await context.clearCookies();
    await page.goto(`${app.url}/sign-in`);
    await ready(page);
    await page.getByLabel("Email").fill("ada@example.com");
    const store = await storeOf(app);
    for (let attempt = 1; attempt <= 4; attempt++) {
      for (const { id } of await store.find("rateLimits", {}))
        await store.change("rateLimits", { id: String(id) }, { lastRequest: Date.now() });
      const answered = page.waitForResponse((response) => response.request().method() === "POST");
      const anew = javaScript ? null : page.waitForEvent("load");
      await page.getByLabel("Password", { exact: true }).fill(`wrong ${attempt}`);
      await page.getByRole("button", { name: "Sign in" }).click();
      const answer = await answered;
      await anew;
      expect(answer.status()).toBe(attempt < 4 ? 401 : 429);
      if (attempt === 4) expect(Number(answer.headers()["retry-after"])).toBeGreaterThan(0);
      await expect(
        page.getByText(attempt < 4 ? "Invalid email or password" : /^Too many attempts\. Try again in \d+ seconds?\.$/),
      ).toBeVisible();
      await expect(page.getByLabel("Email")).toHaveValue("ada@example.com");
    }
  });

  test("shows an authentication error with its escaped code", async ({ page }) => {
    for (const [address, code] of [
      ["/error?error=state_not_found", "state_not_found"],
      ["/error", "Unknown"],
      ["/error?error=", "Unknown"],
      ["/api/auth/error?error=unable_to_link_account", "unable_to_link_account"],
      ["/api/auth/error", "Unknown"],
      ["/error?error=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E", "<img src=x onerror=alert(1)>"],
    ] as const) {
      await page.goto(address);
      await expect(page).toHaveURL(/\/error/);
      await expect(page.getByRole("heading", { name: "Authentication Error" })).toBeVisible();
      await expect(page.locator("code")).toHaveText(code);
      await expect(page.locator("img")).toHaveCount(0);
      await expect(page.getByRole("link", { name: "Return to Application" })).toHaveAttribute("href", "/");
      await expect(page.getByText("Something went wrong. Return to the application and try again.")).toBeVisible();
    }
  });
});

test("shows on the sign-in page why a provider's sign-in failed", async ({ page }) => {
  await page.goto("/projects?error=email_not_found");
  await expect(page).toHaveURL("/sign-in?error=email_not_found");
  await expect(page.getByRole("alert")).toContainText("email_not_found");
  await page.getByRole("link", { name: "Get help" }).click();
  await expect(page.getByRole("heading", { name: "Authentication Error" })).toBeVisible();
});

test("renders errors on the server", async ({ request }) => {
  const html = await (await request.get("/error?error=%3Cscript%3Ealert(1)%3C/script%3E")).text();
  expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
  expect(html).not.toContain("<script>alert(1)");
});

test("the auth API answers programs", { tag: "@auth-api-answers-programs" }, async ({ request }) => {
  expect(await (await request.get("/api/auth/ok")).json()).toEqual({ ok: true });
  expect((await request.get("/api/auth/convex/token")).status()).toBe(401);
  expect(await (await request.get("/api/auth/get-session")).json()).toBeNull();
  const answer = await request.post("/api/auth/sign-in/email", { data: { email: "nobody@example.com", password: "wrong password" } });
  expect(answer.status()).toBe(401);
  expect(await answer.json()).toMatchObject({ code: "INVALID_EMAIL_OR_PASSWORD" });
});

test("rejects cross-site requests at every address, without effect", async ({ request, person, app }) => {
  const own = { Cookie: person.cookieHeader, Origin: app.url, "Sec-Fetch-Site": "same-origin" };
  const foreign: Record<string, string>[] = [
    { ...own, Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" },
    { ...own, Origin: "null" },
    { ...own, "Sec-Fetch-Site": "same-site" },
    { ...own, "Sec-Fetch-Site": "cross-site" },
    { Cookie: person.cookieHeader },
  ];
  for (const path of [
    "/projects",
    "/projects.data",
    "/sign-out",
    "/uploads",
    "/preferences",
    "/api/auth/sign-out",
    "/api/auth/update-user",
  ]) {
    for (const headers of foreign) {
      const answer = await request.post(path, { headers, form: { name: "x" }, maxRedirects: 0 });
      expect(answer.status(), `${path} ${JSON.stringify(headers)}`).toBe(403);
      expect(answer.headers()["content-security-policy"], path).toContain("frame-ancestors 'none'");
    }
  }
  expect((await request.get("/api/auth/convex/token", { headers: own })).status()).toBe(200);
});

test(
  "every script carries the response's nonce, and HEAD has no body",
  { tag: "@every-script-carries-responses-nonce-head" },
  async ({ request }) => {
    const page = await request.get("/sign-in");
    const nonce = /'nonce-([^']+)'/.exec(page.headers()["content-security-policy"] ?? "")?.[1];
    const scripts = (await page.text()).match(/<script\b[^>]*>/g) ?? [];
    expect(scripts.length).toBeGreaterThan(0);
    for (const script of scripts) expect(script).toContain(`nonce="${nonce}"`);
    const head = await request.head("/sign-in");
    expect(head.status()).toBe(200);
    expect((await head.body()).length).toBe(0);
  },
);
