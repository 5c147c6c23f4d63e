import { cp, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { expect, hydrated, openBrowser, signUp, test } from "../harness/test.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const NEWER = "There is a new version of Atelier.";

async function anotherBuild(): Promise<string> {
  const place = await mkdtemp(join(tmpdir(), "atelier-build-"));
  for (const part of ["package.json", "server", "build"]) await cp(join(ROOT, part), join(place, part), { recursive: true });
  for (const part of ["engine", "node_modules"]) await symlink(join(ROOT, part), join(place, part));
  const assets = join(place, "build/client/assets");
  const names = await readdir(assets);
  const manifest = /^manifest-(.+)\.js$/;
  const version = names.map((name) => manifest.exec(name)?.[1]).find(Boolean) ?? "";
  const routes = await readFile(join(assets, `manifest-${version}.js`), "utf8");
  const billing = /"id":"routes\/billing".*?"module":"\/assets\/([^"]+)\.js"/.exec(routes)?.[1] ?? "";
  expect([version, billing]).not.toContain("");
  for (const path of [...names.map((name) => join(assets, name)), join(place, "build/server/index.js")]) {
    if (/\.(?:br|gz)$/.test(path)) await rm(path);
    if (!path.endsWith(".js")) continue;
    const text = await readFile(path, "utf8");
    const changed = text.replaceAll(version, "another").replaceAll(billing, "billing-another");
    if (changed !== text) await writeFile(path, changed);
    const name = path.replace(version, "another").replace(billing, "billing-another");
    if (name !== path) await rename(path, name);
  }
  return place;
}

const mark = (page: Page) => page.evaluate(() => void Object.assign(window, { marked: true }));
const isSame = (page: Page) => page.evaluate(() => "marked" in window);

test(
  "a new build is announced to open tabs and loaded on the next navigation",
  { tag: "@new-build-announced-to-open-tabs" },
  async ({ ownApp, browser }) => {
    test.slow();
    const person = await signUp(ownApp.url);
    const place = await anotherBuild();
    const tabs = await Promise.all([1, 2, 3].map(() => openBrowser(browser, ownApp, person)));
    const [notified, changed, unchanged] = tabs;
    if (!notified || !changed || !unchanged) throw new Error("no tabs");
    try {
      for (const tab of [changed, unchanged])
        await tab.route(/manifest-/, (route) => (route.request().method() === "HEAD" ? route.abort() : route.fallback()));
      await changed.route(/\/billing-(?!another)/, (route) => route.abort());
      for (const tab of tabs) {
        await tab.goto("/projects");
        await hydrated(tab);
        await mark(tab);
      }
      await ownApp.stop();
      await ownApp.start(join(place, "build/processes/main.js"));

      const leadsTo = async (tab: Page, link: string, path: string) => {
        await tab.getByRole("button", { name: person.name }).click();
        await tab.getByRole("group", { name: "You" }).getByRole("link", { name: link, exact: true }).press("Enter");
        await expect(tab.getByRole("heading", { name: link, level: 1 })).toBeVisible();
        await expect(tab).toHaveURL(path);
        await tab.waitForFunction(() => !("marked" in window));
        await expect(tab.getByRole("heading", { name: link, level: 1 })).toBeVisible();
        await hydrated(tab);
        await expect(tab.getByText(NEWER)).toHaveCount(0);
      };
      await expect(notified.getByRole("status").getByText(NEWER)).toBeAttached();
      await expect(notified.getByRole("button", { name: "Reload" })).toBeVisible();
      expect(await isSame(notified)).toBe(true);
      await leadsTo(notified, "Billing", "/billing");
      await leadsTo(changed, "Billing", "/billing");
      await leadsTo(unchanged, "Notifications", "/notifications");
    } finally {
      for (const tab of tabs) await tab.context().close();
      await rm(place, { recursive: true });
    }
  },
);
