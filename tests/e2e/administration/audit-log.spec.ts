import { execFile } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { APP_USER } from "../../harness/app.ts";
import { BALANCED } from "../../harness/balanced.ts";
import { storeOf } from "../../harness/store.ts";
import { withAndWithoutJavaScript, expect, expectAccessible, hydrated, type Person, signUp, test as base } from "../../harness/test.ts";
import { makeDesign } from "../support/pictures.ts";

const BACKUP = fileURLToPath(new URL("../../../server/commands/backup.ts", import.meta.url));

const test = base.extend<{ admin: Person }>({
  admin: async ({ app, person }, use) => {
    await (await storeOf(app)).setAdministrator(person.id, true);
    await use(person);
  },
});

test("records archives of images that a person downloads", { tag: "@audits-archives" }, async ({ app, page, person }) => {
  const { designId } = await makeDesign(app, person);
  const headers = { Cookie: person.cookieHeader };
  const address = `${app.url}/download/designs/${designId}.zip`;
  expect((await fetch(address, { headers, method: "HEAD" })).status).toBe(200);
  await (await fetch(address, { headers })).arrayBuffer();
  await page.goto("/account/activity?category=data");
  await expect(page.getByText("Archive of images downloaded")).toHaveCount(1);
});

test("lists the backup of a command while the app runs", { tag: "@audits-commands" }, async ({ app, page, admin }) => {
  test.skip(BALANCED, "The command backs up an embedded deployment.");
  expect(admin.id).not.toBe("");
  await page.goto("/admin/audit-log?category=operation");
  await hydrated(page);
  const name = `backup-${admin.id}`;
  const env = { PATH: process.env.PATH, DATA_DIR: app.dataDir };
  const folder = join(tmpdir(), name);
  await promisify(execFile)(process.execPath, [BACKUP, folder], { env, ...APP_USER });
  await rm(folder, { recursive: true });
  const entry = page.getByRole("listitem").filter({ hasText: `Backup ${name}` });
  await expect(entry).toContainText("Backup written to a folder");
  await expect(entry).toContainText("by the operator");
});

withAndWithoutJavaScript((javaScript) => {
  test("filters the log of all accounts, and exports it", { tag: "@administration-audit-log" }, async ({ app, page, admin }) => {
    const grace = await signUp(app.url, "Grace Hopper");
    await page.goto(`/admin/people/${grace.id}`);
    if (javaScript) await hydrated(page);
    await page.getByRole("button", { name: "Sign out everywhere" }).click();
    await expect(page.getByText("0 sessions")).toBeVisible();

    await page.getByRole("link", { name: "Audit log" }).click();
    if (javaScript) await hydrated(page);
    await expectAccessible(page);
    await page.getByLabel("Email address or user id").fill(grace.email);
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    const rows = page.getByRole("list", { name: /^Audit log on/ }).getByRole("listitem");
    await expect(rows).toHaveCount(3);
    await expect(rows.first()).toContainText("1 session signed out");
    await expect(rows.first()).toContainText(`Administrator: ${admin.name}`);
    await expect(rows.first()).toContainText("by an administrator · network 127.0.0.0/24");
    await expect(rows.filter({ hasText: "Account created" })).toHaveCount(1);
    await page.getByLabel("Kind").selectOption({ label: "Sessions" });
    if (!javaScript) await page.getByRole("button", { name: "Filter", exact: true }).click();
    await expect(rows).toHaveCount(1);

    for (const format of ["csv", "json"] as const) {
      const downloading = page.waitForEvent("download");
      await page.getByRole("link", { name: `Export as ${format.toUpperCase()}` }).click();
      const text = await readFile(await (await downloading).path(), "utf8");
      expect(text).toContain("session.revoked");
      expect(text).toContain(grace.email);
      expect(text).not.toContain("account.created");
    }

    await page.getByLabel("Result").selectOption({ label: "Failure" });
    if (!javaScript) await page.getByRole("button", { name: "Filter", exact: true }).click();
    await expect(page.getByText("No events match the filters.")).toBeVisible();
    await page.getByRole("link", { name: "Clear filters" }).click();
    await expect(rows.filter({ hasText: "Audit log exported" }).filter({ hasText: admin.name }).first()).toBeVisible();
    if (!javaScript) return;
    await signUp(app.url, "Alan Turing");
    await expect(rows.filter({ hasText: "Alan Turing" }).filter({ hasText: "Account created" })).toBeVisible();
  });
});
