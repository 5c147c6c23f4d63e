import { once } from "node:events";
import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "@playwright/test";
import { picturePath } from "../../fixtures/pictures.ts";
import { expect, hydrated, type RunningApp, test } from "../../harness/test.ts";
import { pageActions } from "../support/page-actions.ts";
import { signedInAddresses } from "../support/signed-in-addresses.ts";

test.describe.configure({ mode: "parallel" });

async function forbidStorage(page: Page, { cookies = true } = {}): Promise<void> {
  await page.addInitScript((cookieEnabled) => {
    const deny = (): never => {
      throw new DOMException("The operation is insecure.", "SecurityError");
    };
    for (const name of ["localStorage", "sessionStorage", "indexedDB", "caches"])
      Object.defineProperty(window, name, { get: deny, configurable: true });
    window.BroadcastChannel = new Proxy(BroadcastChannel, { construct: deny });
    for (const method of ["request", "query"]) Object.defineProperty(navigator.locks, method, { value: async () => deny() });
    Object.defineProperty(navigator, "cookieEnabled", { value: cookieEnabled });
  }, cookies);
}

/** React Router's inline script logs unreadable scroll positions, and its error on removal has no text. */
test.use({ allowedErrors: [/SecurityError|insecure|^$/] });

const SIGNED_OUT = [
  "/sign-in",
  "/sign-up",
  "/forgot-password",
  "/reset-password?token=x",
  "/verify-email?state=sent",
  "/error",
  "/nowhere",
];
test("renders every signed-out page", async ({ page }) => {
  await forbidStorage(page);
  for (const path of SIGNED_OUT) await expectRendered(page, path);
});

test("renders every signed-in page, and adds images", { tag: "@slow" }, async ({ page, app, person }) => {
  await forbidStorage(page);
  const { design, addresses } = await signedInAddresses(app, person);
  for (const address of addresses) await expectRendered(page, address);
  await expectRendered(page, design);
  await page.getByLabel("Add images").setInputFiles(picturePath("bank"));
  const images = page.getByRole("list", { name: "Images", exact: true }).getByRole("listitem");
  await expect(images).toHaveCount(2);

  await test.step("menus, the destination picker, undo and commands work without storage", async () => {
    await images.getByRole("link").first().click({ button: "right" });
    await page.getByRole("link", { name: "Move to…" }).click();
    await pageActions(page, true).copyTo("Cover");
    await expect(images).toHaveCount(3);
    await page.keyboard.press("Control+z");
    await expect(images).toHaveCount(2);
    await images.getByRole("link").first().focus();
    await page.keyboard.press("Control+c");
    await page.keyboard.press("Control+v");
    await expect(images).toHaveCount(3);
    await page.keyboard.press("Control+k");
    const palette = page.getByRole("dialog", { name: "Commands" });
    await palette.getByRole("combobox").fill("trash");
    await expect(palette.getByRole("option").first()).toBeVisible();
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL("/trash");
  });
});

async function expectRendered(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await hydrated(page);
  await expect(page.getByRole("heading", { level: 1 }), path).toBeVisible();
  await expect(page.getByRole("heading", { name: /^Something went wrong/ }), path).toHaveCount(0);
}

const NEEDED = "Your browser blocks cookies";

test("shows on /sign-in that cookies are required, before a form is sent", async ({ page }) => {
  await page.goto("/sign-in");
  await expect(page.getByText(NEEDED)).toHaveCount(0);
  await forbidStorage(page, { cookies: false });
  for (const path of ["/sign-in", "/sign-up"]) {
    await page.goto(path);
    await expect(page.getByRole("alert").filter({ hasText: NEEDED })).toBeVisible();
  }
});

for (const javaScriptEnabled of [true, false])
  test(`requires cookies, ${javaScriptEnabled ? "with" : "without"} JavaScript`, async ({ app, browser, stranger }) => {
    const proxy = await startCookieBlocker(app);
    const context = await browser.newContext({ baseURL: proxy.url, javaScriptEnabled });
    try {
      const page = await context.newPage();
      const notice = page.getByRole("alert").filter({ hasText: NEEDED });
      await page.goto("/sign-up");
      if (javaScriptEnabled) await hydrated(page);
      await page.getByLabel("Name").fill("Ada");
      await page.getByLabel("Email").fill(`new-${stranger.email}`);
      await page.getByLabel("Password", { exact: true }).fill(stranger.password);
      await page.getByRole("button", { name: "Create account", exact: true }).click();
      await expect(page).toHaveURL("/sign-in");
      await expect(notice).toBeVisible();
      await page.goto("/sign-up?redirectTo=%2Ftrash");
      await page.getByRole("link", { name: "Sign in", exact: true }).click();
      await expect(page).toHaveURL(/\/sign-in\?/);
      await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
      await expect(notice).toHaveCount(0);
      if (javaScriptEnabled) await hydrated(page);
      await page.getByLabel("Email").fill(stranger.email);
      await page.getByLabel("Password", { exact: true }).fill(stranger.password);
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await expect(notice).toBeVisible();
      await expect(page).toHaveURL(/^http:\/\/localhost:\d+\/sign-in\?/);
      proxy.allow();
      await page.getByLabel("Email").fill(stranger.email);
      await page.getByLabel("Password", { exact: true }).fill(stranger.password);
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await expect(page).toHaveURL("/trash");
    } finally {
      await context.close();
      await proxy.close();
    }
  });

/** Names the app's own address in requests, because an app with `APP_URL` refuses forms from others. */
async function startCookieBlocker(app: RunningApp) {
  let blocks = true;
  const server = createServer((request, response) => {
    const headers = { ...request.headers, host: new URL(app.url).host };
    const own = `http://${request.headers.host}`;
    if (headers.origin === own) headers.origin = app.url;
    if (headers.referer !== undefined) headers.referer = headers.referer.replace(own, app.url);
    if (blocks) delete headers.cookie;
    const target = { host: "127.0.0.1", port: app.port, path: request.url, method: request.method, headers };
    const onward = httpRequest(target, (answer) => {
      const answered = { ...answer.headers };
      if (blocks) delete answered["set-cookie"];
      response.writeHead(answer.statusCode ?? 502, answered);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://localhost:${port}`,
    allow: () => (blocks = false),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
