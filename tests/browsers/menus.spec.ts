import { addPictures, makeDesign } from "../e2e/support/pictures.ts";
import { expect, test } from "./test.ts";

test("every menu of a design opens, closes and keeps out of the tab order", async ({ open, app, user }) => {
  const { designId, path } = await makeDesign(app, user);
  await addPictures(app, user, designId, ["fig", "bank"]);
  const page = await open({ user });
  await page.open(path);
  const menus = [
    { button: "More for fig.jpg", menu: "fig.jpg", item: "Rename" },
    { button: "More for this design", menu: "More for this design", item: "Move to…" },
    { button: "Sort: Manual", menu: "Sort by", item: "Name" },
  ];
  for (const { button, menu, item } of menus) {
    const [opener, group] = [{ role: "button", name: button } as const, { role: "group", name: menu } as const];
    await page.click(opener);
    await page.painted({ role: "link", name: item, within: group });
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
});

const focusedMenu = () => document.activeElement?.closest(".menu")?.getAttribute("aria-label") ?? null;
