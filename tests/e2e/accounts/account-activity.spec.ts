import { readFile } from "node:fs/promises";
import { withAndWithoutJavaScript, expect, expectAccessible, hydrated, test } from "../../harness/test.ts";
import { makeDesign } from "../support/pictures.ts";

withAndWithoutJavaScript((javaScript) => {
  test("account activity is listed, filtered and exported", { tag: "@account-activity-page" }, async ({ page, person, app }) => {
    await makeDesign(app, person);
    await page.goto("/account/tokens");
    if (javaScript) await hydrated(page);
    await page.getByLabel("Name").fill("Backup script");
    await page.getByRole("button", { name: "Create token" }).click();
    await expect(page.getByLabel("The new token")).toBeVisible();

    await page.getByRole("navigation", { name: "Account" }).getByRole("link", { name: "Account activity" }).click();
    await expect(page.getByRole("heading", { name: "Account activity" })).toBeVisible();
    if (javaScript) await hydrated(page);
    const entries = page.getByRole("main").getByRole("list").getByRole("listitem");
    await expect(entries.filter({ hasText: "Access token created" })).toHaveCount(1);
    await expect(entries.filter({ hasText: "Signed in" }).first()).toContainText("network 127.0.0.0/24");
    await expect(entries.filter({ hasText: "Backup script" })).toHaveCount(0);
    await expectAccessible(page);

    await page.getByLabel("Kind").selectOption("Tokens and webhooks");
    if (!javaScript) await page.getByRole("button", { name: "Filter" }).click();
    await expect(page).toHaveURL(/category=token/);
    await expect(entries.filter({ hasText: "Signed in" })).toHaveCount(0);
    await expect(entries.filter({ hasText: "Access token created" })).toHaveCount(1);

    const downloading = page.waitForEvent("download");
    await page.getByRole("link", { name: "Export as CSV" }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toMatch(/^account-activity-\d{4}-\d\d-\d\d\.csv$/);
    const lines = (await readFile(await download.path(), "utf8")).trim().split("\r\n");
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatch(/,accessToken\.created,token,success,user,127\.0\.0\.0\/24,accessToken,/);

    await page.getByRole("link", { name: "Clear filters" }).click();
    await expect(entries.filter({ hasText: "Account activity exported" })).toHaveCount(1);
    if (!javaScript) return;
    const cookies = await page.context().cookies();
    const header = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
    const requestExport = (format: string) => fetch(`${app.url}/account/activity/export?format=${format}`, { headers: { Cookie: header } });
    const refused = await requestExport("xml");
    expect([refused.status, await refused.text()]).toEqual([400, "The format must be csv or json.\n"]);
    const answer = await requestExport("json");
    expect(await answer.json()).toEqual(expect.arrayContaining([expect.objectContaining({ action: "accessToken.created" })]));
    await expect(entries.filter({ hasText: "Account activity exported" }), "the list is live").toHaveCount(2);
  });
});
