import { api } from "../../../convex/_generated/api.js";
import { withAndWithoutJavaScript, expect, expectAccessible, type Person, type RunningApp, test } from "../../harness/test.ts";
import { pageActions } from "../support/page-actions.ts";
import { addPictures, deploymentAs, makeDesign } from "../support/pictures.ts";

async function withProjects(app: RunningApp, person: Person, ...names: string[]): Promise<Record<string, string>> {
  const convex = await deploymentAs(app, person);
  const made: Record<string, string> = {};
  for (const name of names) made[name] = await convex.mutation(api.projects.create, { name });
  return made;
}

withAndWithoutJavaScript((javaScript) => {
  test("opens one card menu at a time and returns the focus on close", async ({ page, app, person }) => {
    const ids = await withProjects(app, person, "One", "Two");
    const actions = pageActions(page, javaScript);
    await actions.open("/projects?sort=name");
    const button = (name: string) => page.getByRole("button", { name: `More for ${name}`, exact: true });
    const menu = (name: string) => page.getByRole("group", { name, exact: true });
    await expect(page.getByText("Duplicate")).toHaveCount(0);
    await expect(button("One")).toHaveAttribute("aria-expanded", "false");

    await button("One").click();
    await expect(menu("One")).toBeVisible();
    await expect(button("One")).toHaveAttribute("aria-expanded", "true");
    await expect(page).toHaveURL(javaScript ? "/projects?sort=name" : `/projects?sort=name&menu=${ids["One"]}#open-menu`);
    await expectAccessible(page);
    const [at, below] = [await button("One").boundingBox(), await menu("One").boundingBox()];
    expect(below?.y).toBeGreaterThanOrEqual((at?.y ?? 0) + (at?.height ?? 0) - 1);
    expect(Math.abs((below?.x ?? 0) + (below?.width ?? 0) - (at?.x ?? 0) - (at?.width ?? 0))).toBeLessThan(12);

    await menu("One").getByRole("button", { name: "Move to trash" }).click({ trial: true });
    if (javaScript) await page.keyboard.press("Escape");
    else await menu("One").getByRole("link", { name: "Close" }).click();
    await expect(menu("One")).toBeHidden();
    await expect(page).toHaveURL("/projects?sort=name");

    await button("Two").click();
    await expect(menu("Two")).toBeVisible();
    await expect(menu("One")).toBeHidden();
    await menu("Two").getByRole("link", { name: "Rename" }).click();
    await expect(page.getByRole("dialog", { name: "Rename project" })).toBeVisible();
    await expect(menu("Two")).toBeHidden();
    if (!javaScript) await expect(page).toHaveURL(`/projects?sort=name&rename=${ids["Two"]}`);
  });
});

test("opens a menu by keyboard, moves in it by arrow keys and returns the focus", async ({ page, app, person }) => {
  await withProjects(app, person, "One");
  await pageActions(page, true).open("/projects");
  const button = page.getByRole("button", { name: "More for One" });
  const items = page.getByRole("group", { name: "One", exact: true }).locator(".menu-item");
  await button.press("Enter");
  await expect(items.first()).toBeVisible();
  await expect(button).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(items.first()).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(items.nth(1)).toBeFocused();
  await page.keyboard.press("End");
  await expect(items.last()).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(items.first()).toBeFocused();
  await page.keyboard.press("ArrowUp");
  await expect(items.last()).toBeFocused();
  await page.keyboard.press("Home");
  await page.keyboard.press("Escape");
  await expect(items.first()).toBeHidden();
  await expect(button).toBeFocused();
  await expect(button).toHaveAttribute("aria-expanded", "false");

  await button.press("Enter");
  await expect(items.first()).toBeVisible();
  await page.keyboard.press("ArrowDown");
  await expect(items.first()).toBeFocused();
  await button.click();
  await expect(items.first()).toBeHidden();
  await button.click();
  await expect(items.first()).toBeVisible();
  await button.press("Enter");
  await expect(items.first()).toBeHidden();
});

test("takes over a menu that the server rendered open and cleans the address", async ({ page, app, person }) => {
  const ids = await withProjects(app, person, "One", "Two");
  await pageActions(page, true).open(`/projects?sort=name&menu=${ids["Two"]}`);
  const menu = page.getByRole("group", { name: "Two", exact: true });
  await expect(menu).toBeVisible();
  await expect(menu.getByRole("link", { name: "Close" })).toHaveCount(0);
  await page.keyboard.press("Escape");
  await expect(menu).toBeHidden();
  await expect(page).toHaveURL("/projects?sort=name");
});

/** WebKit 2.50: the transition never ends, the focused card is blank, and a hidden ancestor of `position-try-fallbacks` hangs it. */
test("no element combines styles that WebKit cannot display", { tag: "@slow" }, async ({ page, app, person }) => {
  const { path } = await makeDesign(app, person);
  await withProjects(app, person, "One");
  const user = page.getByRole("button", { name: person.email });
  const opened = new Set<string>();
  for (const address of ["/projects", `/projects?select=1`, path, `${path}?select=1`, "/trash", "/search?q=One"]) {
    await pageActions(page, true).open(address);
    for (const button of [page.getByRole("button", { name: /^More for / }).first(), user]) {
      if ((await button.count()) === 0) continue;
      await button.click();
      await expect(page.locator(".menu:popover-open")).toBeVisible();
      const found = await page.evaluate(() => {
        const styled = [...document.querySelectorAll("*")].map((element) => ({ element, style: getComputedStyle(element) }));
        const name = ({ element }: { element: Element }) => element.tagName + element.getAttribute("class");
        const placed = styled.filter(({ style }) => style.getPropertyValue("position-try-fallbacks") !== "none");
        return {
          placed: placed.map(({ element }) => element.getAttribute("aria-label") ?? ""),
          closed: placed.filter(({ element }) => !element.matches(":popover-open")).map(name),
          inSidebar: placed.filter(({ element }) => element.closest(".sidebar")).map(name),
          transitions: placed.filter(({ style }) => style.transitionDuration !== "0s").map(name),
          hidden: styled.filter(({ style }) => style.contentVisibility !== "visible").map(name),
        };
      });
      expect(found, address).toEqual({ placed: expect.any(Array), closed: [], inSidebar: [], transitions: [], hidden: [] });
      for (const label of found.placed) opened.add(label);
    }
  }
  expect(opened.size).toBeGreaterThan(0);
});

test("a closed menu has no tab stop, and Tab leaves an open one in document order", async ({ page, app, person }) => {
  const { designId, path } = await makeDesign(app, person);
  await addPictures(app, person, designId, ["fig"]);
  await pageActions(page, true).open(path);
  const focusedMenu = () => page.evaluate(() => document.activeElement?.closest(".menu")?.getAttribute("aria-label") ?? null);
  const describeFocus = () => page.evaluate(() => Object(document.activeElement?.cloneNode()).outerHTML);
  for (const [name, label] of [
    ["More for this design", "More for this design"],
    ["More for fig.jpg", "fig.jpg"],
  ] as const) {
    const button = page.getByRole("button", { name, exact: true });
    const menu = page.getByRole("group", { name: label, exact: true });
    const items = menu.locator(".menu-item").filter({ visible: true });
    await button.click();
    await expect(menu).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(button).toBeFocused();
    await page.keyboard.press("Tab");
    expect(await focusedMenu()).toBeNull();
    const next = await describeFocus();

    await button.click();
    await page.keyboard.press("Tab");
    await expect(items.first()).toBeFocused();
    await items.last().focus();
    await page.keyboard.press("Tab");
    expect(await focusedMenu()).toBeNull();
    expect(await describeFocus()).toBe(next);
    await page.keyboard.press("Escape");
  }
});
