import { withAndWithoutJavaScript, expect, expectAccessible, hydrated, signUp, test } from "../../harness/test.ts";
import { addPictures, makeDesign } from "../support/pictures.ts";

const WAITING = /Queued after \d attempt/;

withAndWithoutJavaScript((javaScript) => {
  test("logs a failed delivery to a private address", { tag: ["@webhook-private", "@slow"] }, async ({ launch, browser }) => {
    const app = await launch({ WEBHOOKS: "true" });
    const person = await signUp(app.url);
    const { projectId, designId } = await makeDesign(app, person);
    const context = await browser.newContext({ baseURL: app.url, javaScriptEnabled: javaScript });
    await context.addCookies(person.cookies);
    const page = await context.newPage();
    await page.goto(`/projects/${projectId}/sharing`);
    await page.getByRole("link", { name: "Webhooks" }).click();
    await expect(page.getByRole("heading", { name: "Webhooks", level: 1 })).toBeVisible();
    if (javaScript) await hydrated(page);
    await page.getByLabel("Address").fill("http://example.com/hook");
    await page.getByRole("button", { name: "Create webhook" }).click();
    await expect(page.getByText("Enter an address that begins with https:// and has no password.")).toBeVisible();
    await page.getByLabel("Address").fill("https://127.0.0.1/hook");
    await page.getByRole("checkbox", { name: "New comment" }).uncheck();
    await page.getByRole("button", { name: "Create webhook" }).click();
    await expect(page.getByLabel("Signing key")).toHaveValue(/^whsec_[\w+/]{40,}=*$/);
    if (javaScript) await expectAccessible(page);

    await addPictures(app, person, designId, ["fig"]);
    const row = page.getByRole("listitem").filter({ hasText: "https://127.0.0.1/hook" });
    await expect(row).toContainText("New image, Changed review status");
    await expect(async () => {
      if (!javaScript) await page.goto(`/projects/${projectId}/webhooks`);
      await expect(row).toContainText(WAITING, { timeout: 2000 });
    }).toPass();
    await row.getByText(WAITING).first().click();
    await expect(row.getByText("The address is not public.")).toBeVisible();
    if (javaScript) await expectAccessible(page);
    await page.getByRole("button", { name: "Delete to https://127.0.0.1/hook" }).click();
    await expect(page.getByText("This project has no webhooks.")).toBeVisible();
    await context.close();
  });
});

test("offers no webhooks unless the operator enables them", { tag: "@webhooks-off" }, async ({ page, person, app }) => {
  const { projectId } = await makeDesign(app, person);
  await page.goto(`/projects/${projectId}/sharing`);
  await expect(page.getByRole("link", { name: "Webhooks" })).toHaveCount(0);
  await page.goto(`/projects/${projectId}/webhooks`);
  await expect(page.getByText("Webhooks are turned off.")).toBeVisible();
  await expect(page.getByLabel("Address")).toHaveCount(0);
});
