import { api } from "../../../convex/_generated/api.js";
import { withAndWithoutJavaScript, expect, hydrated, test } from "../../harness/test.ts";
import { loadedScripts } from "../support/loaded-scripts.ts";
import { pageActions } from "../support/page-actions.ts";
import { deploymentAs } from "../support/pictures.ts";

/** Prefetched modules must not include the toast library either. */
test.use({ saveData: false });

const TOAST = { visible: 3, ms: 4000, width: 356, gap: 14, swipe: 45 };

withAndWithoutJavaScript((javaScript) => {
  test("an action's message survives its redirect and shows once", { tag: "@slow" }, async ({ page, person }) => {
    expect(person.id).not.toBe("");
    const she = pageActions(page, javaScript);
    const toast = (text: string) =>
      javaScript ? page.getByRole("region", { name: /^Notifications/ }).getByText(text) : page.getByRole("status").getByText(text);

    await she.makeProject("Nightfall");
    await expect(toast("Project created")).toBeVisible();
    await she.open("/projects");
    await expect(page.getByText("Project created")).toHaveCount(0);

    await she.create("project", "Daybreak");
    await expect(toast("Project created")).toBeVisible();
    await she.renameInPlace("Dawn");
    await expect(toast("Project renamed")).toBeVisible();
    await she.create("design", "Cover");
    await expect(toast("Design created")).toBeVisible();
    await she.deletePageItem("design");
    await expect(toast("Design moved to the trash")).toBeVisible();
    await she.deletePageItem("project");
    await expect(toast("Project moved to the trash")).toBeVisible();
    await expect(page).toHaveURL("/projects");

    await page.getByRole("button", { name: person.name }).click();
    await page.getByRole("button", { name: "Log out", exact: true }).click();
    await expect(page).toHaveURL("/sign-in");
    await expect(page.getByRole("status").getByText("You are signed out.")).toBeVisible();
    await page.reload();
    await expect(page.getByText("You are signed out.")).toHaveCount(0);
  });
});

test("a server-side form shows a toast that a prefetched page does not remove", async ({ page, person, app }) => {
  const made = await fetch(`${app.url}/projects`, {
    method: "POST",
    redirect: "manual",
    headers: { Cookie: person.cookieHeader, Origin: app.url, "Content-Type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ intent: "createProject", name: "Nightfall" }),
  });
  const flash = made.headers.getSetCookie().find((line) => line.startsWith("flash="));
  const Cookie = `${person.cookieHeader}; ${flash?.split(";")[0]}`;
  const ahead = await fetch(`${app.url}/projects.data`, { headers: { Cookie, "Sec-Purpose": "prefetch" } });
  expect(ahead.headers.getSetCookie().filter((line) => line.startsWith("flash="))).toEqual([]);
  const picture = await fetch(`${app.url}/images/none`, { headers: { Cookie } });
  expect(picture.headers.getSetCookie().filter((line) => line.startsWith("flash="))).toEqual([]);

  await page.context().addCookies([{ name: "flash", value: flash?.split(/[=;]/)[1] ?? "", url: app.url }]);
  await page.goto("/projects");
  await expect(page.getByRole("region", { name: /^Notifications/ }).getByText("Project created")).toBeVisible();
  expect((await page.context().cookies()).some(({ name }) => name === "flash")).toBe(false);
});

test(
  "toasts show at the bottom right, at most three, for four seconds",
  { tag: ["@toasts-show-bottom-right-most-three", "@slow"] },
  async ({ page, person, app, otherBrowser }) => {
    const convex = await deploymentAs(app, person);
    for (const name of ["One", "Two", "Three", "Four", "Five", "Six"]) await convex.mutation(api.projects.create, { name });
    const she = pageActions(page, true);
    const scripts = loadedScripts(page);
    const isLibrary = (text: string) => text.includes("sonner-spinner");
    const outside = await otherBrowser();
    const scriptsOutside = loadedScripts(outside);
    await outside.goto("/sign-in");
    await hydrated(outside);
    await outside.waitForLoadState("networkidle");
    const loadedOutside = await scriptsOutside();
    expect(loadedOutside.length).toBeGreaterThan(0);
    expect(loadedOutside.filter(isLibrary)).toEqual([]);

    await page.clock.install();
    await she.open("/projects");
    const toasts = page.locator("[data-sonner-toast]");
    const region = page.getByRole("region", { name: /^Notifications/ });
    const window = page.viewportSize();
    const remove = async (name: string) => {
      await she.removeCard(name);
      await expect(page.getByRole("main").getByRole("link", { name })).toHaveCount(0);
      await page.clock.runFor(10);
    };
    await she.removeCard("Six");
    await expect(toasts).toHaveCount(1);
    await expect(region).toHaveAttribute("aria-live", "polite");
    await page.clock.pauseAt(Date.now() + 10_000);
    await page.clock.runFor(TOAST.ms + 1000);
    await expect(toasts).toHaveCount(0);

    await remove("Five");
    await expect.poll(() => page.clock.runFor(1).then(() => toasts.count())).toBe(1);
    await page.clock.runFor(1000);
    const place = async () => {
      const box = await toasts.boundingBox();
      return box && window && [box.width, window.width - box.x - box.width, window.height - box.y - box.height].map(Math.round);
    };
    await expect.poll(place).toEqual([TOAST.width, 24, 24]);
    await page.clock.runFor(TOAST.ms - 1000 - 200);
    await expect(toasts).toHaveAttribute("data-removed", "false");
    await page.clock.runFor(300);
    await expect(toasts).toHaveAttribute("data-removed", "true");
    await page.clock.runFor(1000);
    await expect(toasts).toHaveCount(0);

    for (const name of ["Four", "Three", "Two", "One"]) await remove(name);
    await expect.poll(() => page.clock.runFor(1).then(() => toasts.count())).toBe(TOAST.visible + 1);
    await expect(page.locator("[data-sonner-toast][data-visible=true]")).toHaveCount(TOAST.visible);
    await page.keyboard.press("Alt+t");
    await expect(region.getByRole("list")).toBeFocused();
    await page.clock.runFor(1000);
    const gaps = async () => {
      const boxes = await page
        .locator("[data-sonner-toast][data-visible=true]")
        .evaluateAll((each) => each.map((toast) => toast.getBoundingClientRect().toJSON()));
      const [top, middle, bottom] = boxes.toSorted((a, b) => a.top - b.top);
      return [middle.top - top.bottom, bottom.top - middle.bottom].map(Math.round);
    };
    await expect.poll(gaps).toEqual([TOAST.gap, TOAST.gap]);

    const library = (await scripts()).find(isLibrary);
    expect(library).toMatch(new RegExp(`\\b(\\w+)=${TOAST.swipe}\\b[^]*>=\\1\\|\\|`));
  },
);
