import { freePort } from "../../harness/app.ts";
import { startAddressHidingProxy } from "../../harness/proxies/address-hiding-proxy.ts";
import { expect, hydrated, test } from "../../harness/test.ts";
import { makeDesign } from "../support/pictures.ts";
import { signedInAddresses } from "../support/signed-in-addresses.ts";

const ASSETS = /\/assets\/.*\.js$/;

test.describe("without no-transform", () => {
  test.use({ allowedErrors: [/Minified React error #418|Failed to load resource/] });

  for (const [shown, isDecoded] of [
    ["decoded", true],
    ["hidden", false],
  ] as const)
    test(`keeps fields typed before hydration, with ${shown} addresses`, async ({ page, app, person }) => {
      const { path } = await makeDesign(app, person, "Clock tower");
      const proxy = await startAddressHidingProxy(await freePort(), app.port, { removes: true });
      if (!isDecoded) await page.route(/email-decode/, (route) => route.abort());
      const held = Promise.withResolvers<void>();
      await page.route(ASSETS, async (route) => {
        await held.promise;
        await route.continue();
      });
      await page.goto(proxy.url + path);
      const addresses = page.locator(".__cf_email__");
      if (isDecoded) await expect(addresses).toHaveCount(0);
      else await expect(addresses).not.toHaveCount(0);
      const title = page.getByLabel("Name of the design");
      await title.fill("Bell tower");
      await title.evaluate((element: HTMLInputElement) => element.setSelectionRange(1, 4));

      held.resolve();
      await hydrated(page);
      await expect(title).toHaveValue("Bell tower");
      await expect(title).toBeFocused();
      expect(await title.evaluate(({ selectionStart, selectionEnd }: HTMLInputElement) => [selectionStart, selectionEnd])).toEqual([1, 4]);
      await expect(page.getByRole("complementary", { name: "Sidebar" })).toContainText(person.email);
      await expect(addresses).toHaveCount(0);
      await page.goto("about:blank");
      await proxy.close();
    });
});

test("the proxy does not change HTML with no-transform", async ({ page, app, person }) => {
  const { path } = await makeDesign(app, person);
  const proxy = await startAddressHidingProxy(await freePort(), app.port, { removes: false });
  const html = await (await page.goto(proxy.url + path))?.text();
  expect(html).toContain(person.email);
  expect(html).not.toContain("__cf_email__");
  await hydrated(page);
  await page.goto("about:blank");
  await proxy.close();
});

test("all HTML has no-transform", { tag: "@all-html-has-no-transform" }, async ({ app, person, request }) => {
  const { addresses } = await signedInAddresses(app, person);
  const signedOut = ["/", "/sign-in", "/sign-up", "/forgot-password", "/reset-password?token=x", "/verify-email?state=sent", "/error"];
  const refused = ["/nowhere", "/design/nothing", "/images/nothing", "/preferences", "/api/auth/nothing", "/%E0%A4%A"];
  const headers = { Accept: "text/html" };
  const answers = [
    ...[...signedOut, ...refused].map((path) => request.get(path, { headers })),
    ...[...addresses, ...refused].map((path) => request.get(path, { headers: { ...headers, Cookie: person.cookieHeader } })),
    request.post("/sign-in", { headers, form: { email: "nobody" } }),
    request.post("/projects", { headers: { ...headers, Cookie: person.cookieHeader }, form: { intent: "nothing" } }),
    request.post("/projects", { headers: { ...headers, Cookie: person.cookieHeader, Origin: "https://evil.example" }, form: {} }),
  ];
  let pages = 0;
  for (const answer of await Promise.all(answers)) {
    const { "content-type": type = "", "cache-control": cacheControl } = answer.headers();
    if (!type.startsWith("text/html")) continue;
    pages++;
    expect(cacheControl, `${answer.status()} ${answer.url()}`).toContain("no-transform");
  }
  expect(pages).toBeGreaterThan(addresses.length + signedOut.length);
});
