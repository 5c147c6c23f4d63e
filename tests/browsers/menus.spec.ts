import { api } from "../../convex/_generated/api.js";
import { addPictures, deploymentAs, makeDesign } from "../e2e/support/pictures.ts";
import type { Page } from "./page.ts";
import { expect, test } from "./test.ts";

type MenuCase = { button: string | { part: string }; menu: string; item: string; role?: "link" | "button" };

async function expectMenus(page: Page, menus: MenuCase[]): Promise<void> {
  for (const { button, menu, item, role = "link" } of menus) {
    const [opener, group] = [{ role: "button", name: button } as const, { role: "group", name: menu } as const];
    await page.click(opener);
    await page.painted({ role, name: item, within: group });
    await page.driver.press("Escape");
    await page.hidden(group);
    await page.focused(opener);
    await page.driver.press("Tab");
    expect(await page.driver.evaluate(focusedMenu)).toBeNull();

    await page.click(opener);
    await page.visible(group);
    await page.driver.press("Tab");
    expect(await page.driver.evaluate(focusedMenu)).toBe(menu);
    await page.driver.press("Escape");
    await page.hidden(group);
  }
}

test("opens and closes every menu of a design, outside the tab order while closed", async ({ open, app, user }) => {
  const { designId, path } = await makeDesign(app, user);
  await addPictures(app, user, designId, ["fig", "bank"]);
  const page = await open({ user });
  await page.open(path);
  await expectMenus(page, [
    { button: "More for fig.jpg", menu: "fig.jpg", item: "Rename" },
    { button: "More for this design", menu: "More for this design", item: "Move to…" },
    { button: "Sort: Manual", menu: "Sort by", item: "Name" },
  ]);
});

test("opens and closes every menu of other pages, outside the tab order while closed", async ({ open, app, user }) => {
  const { designId, path } = await makeDesign(app, user);
  const [imageId = ""] = await addPictures(app, user, designId, ["fig", "bank"]);
  const convex = await deploymentAs(app, user);
  const { projectId } = await convex.query(api.designs.getDesignById, { id: designId });
  await convex.mutation(api.designs.create, { projectId, name: "Back" });
  await convex.mutation(api.projects.create, { name: "Book" });
  const page = await open({ user });
  const sort = { button: { part: "Sort: " }, menu: "Sort by", item: "Name" };
  await page.open("/projects");
  await expectMenus(page, [
    { button: "More for Magazine", menu: "Magazine", item: "Rename" },
    sort,
    { button: { part: user.email }, menu: "You", item: "Account" },
  ]);
  await page.open(`/projects/${projectId}`);
  await expectMenus(page, [
    { button: "More for Cover", menu: "Cover", item: "Rename" },
    { button: "More for this project", menu: "More for this project", item: "Duplicate", role: "button" },
    sort,
  ]);
  await page.open(`${path}/images/${imageId}`);
  await expectMenus(page, [{ button: "More for this image", menu: "More for this image", item: "Move to…" }]);
});

test("a right-click opens a card's menu at the pointer", async ({ open, app, user }) => {
  const { designId, path } = await makeDesign(app, user);
  await addPictures(app, user, designId, ["fig", "bank"]);
  const page = await open({ user });
  await page.open(path);
  const menu = { role: "group", name: "fig.jpg" } as const;
  const card = { role: "link", name: "fig.jpg" } as const;
  await page.click(card, { button: "right" });
  await page.painted({ role: "link", name: "Rename", within: menu });
  await page.driver.press("Escape");
  await page.hidden(menu);
  await page.click(card, { button: "right" });
  await page.painted({ role: "link", name: "Rename", within: menu });
  await page.driver.press("Tab");
  expect(await page.driver.evaluate(focusedMenu)).toBe("fig.jpg");
  await page.click({ role: "link", name: "Rename", within: menu });
  await page.hidden(menu);
  await page.focused({ role: "textbox", name: "Name", within: { role: "dialog", name: "Rename image" } });
});

const focusedMenu = () => document.activeElement?.closest(".menu")?.getAttribute("aria-label") ?? null;
