import { expect, expectAccessible, hydrated, test, toastsStand } from "../harness/test.ts";
import { api } from "../../convex/_generated/api.js";
import { addPictures, deploymentAs } from "./pictures.ts";

// The browser itself complains of what it asks for without a network.
test.use({ allowedErrors: [/ERR_INTERNET_DISCONNECTED/] });

test("the palette that cannot be loaded says so, and is tried again", async ({ page, person, context }) => {
  expect(person.id).not.toBe("");
  await page.goto("/projects");
  await hydrated(page);
  await toastsStand(page);
  await context.setOffline(true);
  await page.keyboard.press("Control+k");
  await expect(page.getByText("The commands could not be loaded. Try again in a moment.")).toBeVisible();
  const palette = page.getByRole("dialog", { name: "Commands" });
  await expect(palette).toBeHidden();
  await context.setOffline(false);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("security");
  await expect(palette.getByRole("option").first()).toHaveText("SecurityGo to");
});

test("the command palette goes, does and finds", async ({ page, person, app }) => {
  const convex = await deploymentAs(app, person);
  const projectId = await convex.mutation(api.projects.create, { name: "Clockwork" });
  const designId = await convex.mutation(api.designs.create, { projectId, name: "Tower of hours" });
  const [imageId = ""] = await addPictures(app, person, designId, ["clock", "dogs"]);

  const palette = page.getByRole("dialog", { name: "Commands" });
  const field = palette.getByRole("combobox");
  const offered = palette.getByRole("option");
  const asks = async (text: string) => {
    await page.keyboard.press("Control+k");
    await expect(field).toBeFocused();
    await expect(field).toHaveValue("");
    await field.fill(text);
  };

  await page.goto("/projects");
  await hydrated(page);
  // Not before it is asked for.
  expect(await page.evaluate(() => performance.getEntriesByType("resource").filter(({ name }) => name.includes("palette")).length)).toBe(0);
  // What is typed, while it is still on its way, is not lost; nor is the key that chooses.
  const held = Promise.withResolvers<undefined>();
  await page.route(/\/palette-[^/]*\.js$/, async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.keyboard.press("Control+k");
  await page.keyboard.type("clockw");
  await expect(palette).toBeVisible();
  await expect(palette.getByRole("textbox")).toHaveValue("clockw");
  await page.keyboard.press("Enter");
  held.resolve(undefined);
  await expect(page).toHaveURL(`/projects/${projectId}`);
  await expect(palette).toBeHidden();
  await page.goBack();
  await expect(page.getByRole("heading", { name: "Projects", level: 1 })).toBeVisible();

  await page.getByRole("searchbox", { name: "Search everything" }).focus();
  await asks("");
  await expect(offered.filter({ hasText: "Clockwork" })).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(palette).toBeHidden();
  await expect(page.getByRole("searchbox", { name: "Search everything" })).toBeFocused();

  await asks("clockw");
  await expect(offered.first()).toHaveText("ClockworkProject");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`/projects/${projectId}`);
  await expect(palette).toBeHidden();

  await asks("new des");
  await expect(offered.first()).toHaveText("New designOn this page");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "New design" }).getByRole("textbox", { name: "Name" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog", { name: "New design" })).toBeHidden();
  await asks("activ");
  await expect(offered.first()).toHaveText("ActivityOn this page");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`/projects/${projectId}/activity`);

  await asks("hours");
  await expect(offered.first()).toHaveText("Tower of hoursClockwork");
  await field.fill("clock.webp");
  await expect(offered.first()).toHaveText("clock.webpTower of hours");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`/design/${designId}/images/${imageId}`);
  await expect(page.getByRole("article", { name: "clock.webp" })).toBeVisible();
  await asks("next");
  await expect(offered.first()).toContainText("Next");
  await page.keyboard.press("Enter");
  await expect(page).toHaveTitle("dogs.jpg · Atelier");
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(new RegExp(`/design/${designId}$`));
  await expect(page.getByRole("button", { name: "Sort by: By hand" })).toBeVisible();
  // What stands in a menu of the page is offered without opening it.
  await asks("sort by name");
  await expect(offered.first()).toContainText("Sort by");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`/design/${designId}?sort=name`);

  await asks("backup");
  await expect(offered).toHaveText(["SecurityGo to"]);
  await field.fill("light");
  await expect(offered.first()).toHaveText("Light themeDo");
  await page.keyboard.press("Enter");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
  await asks("no such thing");
  await expect(palette.getByText("Nothing is called “no such thing”.")).toBeVisible();
  await expectAccessible(page);
  // Asked for again it goes.
  await page.keyboard.press("Control+k");
  await expect(palette).toBeHidden();

  await asks("log out");
  await expect(offered.first()).toHaveText("Log outDo");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL("/sign-in");
});
