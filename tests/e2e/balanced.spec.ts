import { randomBytes } from "node:crypto";
import { startBalanced } from "../harness/balanced.ts";
import { expect, hydrated, test } from "../harness/test.ts";
import { hands } from "./hands.ts";
import { chosen } from "./pictures.ts";

/**
 * Two app servers on one deployment that stands for any other, and every request of a session is sent to the other one in turn: nobody notices.
 */
test("two servers behind a balancer that never sends anybody to the same one twice", async ({ browser }) => {
  test.slow();
  const app = await startBalanced();
  const { url: origin, servers } = app;
  try {
    for (const javaScriptEnabled of [true, false]) {
      const email = `${randomBytes(6).toString("hex")}@example.com`;
      const context = await browser.newContext({ baseURL: origin, javaScriptEnabled });
      const page = await context.newPage();
      const her = hands(page, javaScriptEnabled);

      await her.open("/sign-up");
      await page.getByLabel("Name", { exact: true }).fill("Ada");
      await page.getByLabel("Email").fill(email);
      await page.getByLabel("Password", { exact: true }).fill("correct horse battery staple");
      await page.getByRole("button", { name: /sign up|create account/i }).click();
      await expect(page).toHaveURL("/projects");
      if (javaScriptEnabled) await hydrated(page);

      await her.create("project", "Spring");
      await expect(page.getByRole("heading", { name: "Spring" })).toBeVisible();
      await her.ready();
      await her.renameInPlace("Summer");
      await her.create("design", "Cover");
      await expect(page.getByRole("heading", { name: "Cover" })).toBeVisible();
      await her.ready();
      await page.getByLabel("Add images").setInputFiles([await chosen("fig")]);
      if (!javaScriptEnabled) await page.getByRole("button", { name: "Upload" }).click();
      await expect(page.getByRole("main").getByRole("img").first()).toBeVisible();

      await her.open("/account/sessions");
      await expect(page.getByRole("heading", { name: "Where you are signed in" })).toBeVisible();
      await her.open("/search?q=Summer");
      await expect(page.getByRole("main").getByText("Summer").first()).toBeVisible();

      // Signing out at one is signing out at both.
      const cookies = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
      const signedIn = () =>
        Promise.all(
          servers.map(
            async (server) =>
              (await fetch(`http://127.0.0.1:${server.port}/projects`, { redirect: "manual", headers: { Cookie: cookies } })).status,
          ),
        );
      expect(await signedIn()).toEqual([200, 200]);
      expect((await page.request.post("/sign-out", { headers: { Origin: origin }, maxRedirects: 0 })).status()).toBeLessThan(400);
      expect(await signedIn()).toEqual([302, 302]);
      await page.goto("about:blank");
      await context.close();
    }
    const [one = 0, other = 0] = app.served();
    expect(Math.min(one, other)).toBeGreaterThan(15);
  } finally {
    await app.dispose();
  }
});
