import { randomUUID } from "node:crypto";
import type { Page } from "@playwright/test";
import { freePort } from "../../harness/app.ts";
import { launchOptions } from "../../harness/chromium.ts";
import { startTlsProxy } from "../../harness/proxies/tls-proxy.ts";
import { pageActions } from "../support/page-actions.ts";
import { expect, hydrated, test } from "../../harness/test.ts";

const LAN = "http://atelier.test:3000";
const PASSWORD = "correct horse battery staple";

test("serves live pages and sign-out at an https and an http origin of one app", { tag: "@slow" }, async ({ launch, playwright }) => {
  const port = await freePort();
  const origin = `https://localhost:${port}`;
  const app = await launch({ APP_URL: `${origin},${LAN}`, TRUSTED_PROXY_HOPS: "1" });
  const proxy = await startTlsProxy(port, () => app.port);
  const options = await launchOptions();
  const browser = await playwright.chromium.launch({
    ...options,
    args: [...(options.args ?? []), `--host-resolver-rules=MAP atelier.test:3000 127.0.0.1:${app.port}`],
  });
  try {
    const email = `${randomUUID()}@example.com`;
    const secure = await browser.newPage({ baseURL: origin, ignoreHTTPSErrors: true });
    await secure.goto("/sign-up");
    await hydrated(secure);
    await secure.getByLabel("Name", { exact: true }).fill("Ada");
    await sign(secure, email, /sign up|create account/i);

    const plain = await browser.newPage({ baseURL: LAN });
    await plain.goto("/sign-in");
    await hydrated(plain);
    await sign(plain, email, "Sign in");

    for (const [page, names] of [
      [secure, /^__Host-atelier\./],
      [plain, /^atelier\./],
    ] as const) {
      const cookies = (await page.context().cookies()).filter(({ name }) => name.includes("atelier."));
      expect(cookies.length).toBeGreaterThan(1);
      for (const { name, secure: isSecure } of cookies) expect([name, isSecure]).toEqual([expect.stringMatching(names), page === secure]);
    }

    for (const [page, other, name] of [
      [plain, secure, "From the LAN"],
      [secure, plain, "From outside"],
    ] as const) {
      await pageActions(page, true).makeProject(name);
      await page.goto("/projects");
      for (const each of [page, other]) await expect(each.getByRole("main").getByText(name)).toBeVisible();
    }

    for (const page of [plain, secure]) {
      await hydrated(page);
      await page.getByRole("button", { name: "Ada" }).click();
      await page.getByRole("button", { name: "Log out" }).click();
      await expect(page).toHaveURL("/sign-in");
    }
  } finally {
    await browser.close();
    await proxy.close();
  }
});

async function sign(page: Page, email: string, button: string | RegExp): Promise<void> {
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: button, ...(typeof button === "string" && { exact: true }) }).click();
  await expect(page).toHaveURL("/projects");
}
