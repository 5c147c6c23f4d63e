import { expect, expectAccessible, hydrated, test, toasterReady } from "../../harness/test.ts";
import { api } from "../../../convex/_generated/api.js";
import { describedIntents } from "../support/described-intents.ts";
import { addPictures, deploymentAs } from "../support/pictures.ts";

test.use({ saveData: false, allowedErrors: [/ERR_INTERNET_DISCONNECTED/] });

test("reports that the palette cannot be loaded, and retries", async ({ page, person, context }) => {
  expect(person.id).not.toBe("");
  await page.goto("/projects");
  await hydrated(page);
  await toasterReady(page);
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

test("opens the palette after its code failed to load once", { tag: "@repeats-failed-import" }, async ({ page, person }) => {
  expect(person.id).not.toBe("");
  let isCut = true;
  await page.route(/\/palette-[^/]*\.js/, (route) => (isCut ? route.abort("internetdisconnected") : route.continue()));
  await page.goto("/projects");
  await hydrated(page);
  await toasterReady(page);
  await page.keyboard.press("Control+k");
  await expect(page.getByText("The commands could not be loaded. Try again in a moment.")).toBeVisible();
  isCut = false;
  await page.keyboard.press("Control+k");
  await page.keyboard.type("security");
  await expect(page.getByRole("dialog", { name: "Commands" }).getByRole("option").first()).toHaveText("SecurityGo to");
});

test("leaves no focus in the closed palette", { tag: "@closed-palette-has-no-focus" }, async ({ page, person }) => {
  expect(person.id).not.toBe("");
  await page.goto("/projects");
  await hydrated(page);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("dark theme");
  await expect(page.getByRole("dialog", { name: "Commands" }).getByRole("option")).toHaveText(["Dark themeActions"]);
  const focused = await page.evaluate(() => {
    const enter = { key: "Enter", code: "Enter", bubbles: true, cancelable: true };
    document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", enter));
    return [document.querySelector("dialog.palette")?.hasAttribute("open"), document.activeElement?.tagName];
  });
  expect(focused).toEqual([false, "BODY"]);
});

test("the command palette navigates, runs commands and searches", { tag: "@slow" }, async ({ page, person, app }) => {
  const convex = await deploymentAs(app, person);
  const projectId = await convex.mutation(api.projects.create, { name: "Clockwork" });
  const designId = await convex.mutation(api.designs.create, { projectId, name: "Tower of hours" });
  const [imageId = ""] = await addPictures(app, person, designId, ["clock", "dogs"]);

  const palette = page.getByRole("dialog", { name: "Commands" });
  const field = palette.getByRole("combobox");
  const offered = palette.getByRole("option");
  const searchFor = async (text: string) => {
    await page.keyboard.press("Control+k");
    await expect(field).toBeFocused();
    await expect(field).toHaveValue("");
    await field.fill(text);
  };

  await page.goto("/projects");
  await hydrated(page);
  expect(await page.evaluate(() => performance.getEntriesByType("resource").filter(({ name }) => name.includes("palette")).length)).toBe(0);
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
  await searchFor("");
  await expect(offered.filter({ hasText: "Clockwork" }).first()).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(palette).toBeHidden();
  await expect(page.getByRole("searchbox", { name: "Search everything" })).toBeFocused();

  await searchFor("clockw");
  await expect(offered.first()).toHaveText("ClockworkProject");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`/projects/${projectId}`);
  await expect(palette).toBeHidden();
  await expect(page.getByRole("heading", { name: "Clockwork", level: 1 })).toBeVisible();

  await searchFor("new des");
  await expect(offered.first()).toHaveText("New designOn this page");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "New design" }).getByRole("textbox", { name: "Name" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog", { name: "New design" })).toBeHidden();
  await searchFor("activ");
  await expect(offered.first()).toHaveText("ActivityOn this page");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`/projects/${projectId}/activity`);

  await searchFor("");
  await expect(palette.getByRole("group", { name: "Recent" }).getByRole("option")).toHaveText(["Tower of hoursClockwork"]);
  await expect(offered.first()).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("ArrowDown");
  await expect(offered.nth(1)).toHaveAttribute("aria-selected", "true");
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await searchFor("hours");
  await expect(offered.first()).toHaveText("Tower of hoursClockwork");
  await expect(offered.first().locator("img").first()).toBeVisible();
  await convex.mutation(api.designs.create, { projectId, name: "Finder" });
  await field.fill("find");
  await expect(offered).toHaveText(["FinderClockwork", "SearchGo to"]);
  await expect(offered.first()).toHaveAttribute("aria-selected", "true");
  await field.fill("clock.webp");
  await expect(offered.first()).toHaveText("clock.webpTower of hours");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`/design/${designId}/images/${imageId}`);
  await expect(page.getByRole("article", { name: "clock.webp" })).toBeVisible();
  await searchFor("next");
  await expect(offered.first()).toContainText("Next");
  await page.keyboard.press("Enter");
  await expect(page).toHaveTitle("dogs.jpg · Atelier");
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(new RegExp(`/design/${designId}$`));
  await expect(page.getByRole("button", { name: "Sort: Manual" })).toBeVisible();
  await searchFor("sort name");
  await expect(offered.first()).toContainText("Sort:");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`/design/${designId}?sort=name`);

  await searchFor("backup");
  await expect(offered).toHaveText(["SecurityGo to"]);
  await field.fill("light");
  await expect(offered.first()).toHaveText("Light themeActions");
  await page.keyboard.press("Enter");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
  await searchFor("no such thing");
  await expect(palette.getByText("No results for “no such thing”.")).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press("Control+k");
  await expect(palette).toBeHidden();

  await searchFor("log out");
  await expect(offered.first()).toHaveText("Log outActions");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL("/sign-in");
});

const COMMANDS: Record<"projects" | "project" | "design" | "image" | "trash", Record<string, string>> = {
  projects: { createProject: "New project" },
  project: {
    renameProject: "Rename project",
    describeProject: "Add a description",
    favouriteProject: "Add project to favourites",
    duplicateProject: "Duplicate project",
    latestCoverProject: "Reset cover of the project",
    removeProject: "Delete project",
    createDesign: "New design",
  },
  design: {
    renameDesign: "Rename design",
    describeDesign: "Add a description",
    tagDesign: "Add a tag",
    favouriteDesign: "Add design to favourites",
    duplicateDesign: "Duplicate design",
    latestCoverDesign: "Reset cover of the design",
    moveDesign: "Move design to…",
    removeDesign: "Delete design",
  },
  image: {
    renameImage: "Rename image",
    captionImage: "Add a caption",
    tagImage: "Add a tag",
    rotateImage: "Rotate image right",
    duplicateImage: "Duplicate image",
    coverDesign: "Use image as design cover",
    coverProject: "Use image as project cover",
    moveImage: "Move image to…",
    removeImage: "Delete image",
  },
  trash: { emptyTrash: "Empty the trash" },
};

const ONE_OF_SEVERAL = "there are several on the page, each with a button of its own";
const CHOSEN = "about what was chosen, in the bar of the selection";
const ELSEWHERE: Record<string, string> = {
  untagDesign: ONE_OF_SEVERAL,
  untagImage: ONE_OF_SEVERAL,
  makeCurrent: ONE_OF_SEVERAL,
  restore: ONE_OF_SEVERAL,
  restoreInto: ONE_OF_SEVERAL,
  purge: ONE_OF_SEVERAL,
  orderProject: ONE_OF_SEVERAL,
  orderDesign: ONE_OF_SEVERAL,
  orderImage: ONE_OF_SEVERAL,
  restoreHere: "the only button of a page that has nothing else",
  moveDesigns: CHOSEN,
  tagDesigns: CHOSEN,
  untagDesigns: CHOSEN,
  trashDesigns: CHOSEN,
  favouriteDesigns: CHOSEN,
  moveImages: CHOSEN,
  copyImages: CHOSEN,
  copyDesigns: CHOSEN,
  tagImages: CHOSEN,
  untagImages: CHOSEN,
  trashImages: CHOSEN,
};

const BESIDES: Record<keyof typeof COMMANDS, string[]> = {
  projects: [],
  project: ["Download project", "Activity", "All images", "Select", "Sort: Name"],
  design: ["Download design", "Add images", "Select", "Sort: Name", "View: List"],
  image: ["Download the original", "Compare", "Details", "Next image", "Full screen", "Zoom: 100%"],
  trash: [],
};

test("the palette has every intent, or a documented reason why not", async () => {
  const known = [...Object.values(COMMANDS).flatMap(Object.keys), ...Object.keys(ELSEWHERE)];
  expect(known.toSorted()).toEqual(describedIntents);
});

test("the palette offers and runs the actions of a project, a design and an image", { tag: "@slow" }, async ({ page, person, app }) => {
  const convex = await deploymentAs(app, person);
  const projectId = await convex.mutation(api.projects.create, { name: "Clockwork" });
  const gone = await convex.mutation(api.designs.create, { projectId, name: "Gone" });
  await convex.mutation(api.designs.moveToTrash, { id: gone });
  await convex.mutation(api.designs.create, { projectId, name: "Dial" });
  const designId = await convex.mutation(api.designs.create, { projectId, name: "Tower" });
  const [imageId = ""] = await addPictures(app, person, designId, ["clock", "dogs"]);
  await convex.mutation(api.designs.setCover, { id: designId, imageId });
  await convex.mutation(api.projects.setCover, { id: projectId, imageId });

  const palette = page.getByRole("dialog", { name: "Commands" });
  const offered = palette.getByRole("option").filter({ hasText: "On this page" });
  const addresses = {
    projects: "/projects",
    project: `/projects/${projectId}`,
    design: `/design/${designId}`,
    image: `/design/${designId}/images/${imageId}`,
    trash: "/trash",
  };
  for (const where of ["projects", "project", "design", "image", "trash"] as const) {
    await page.goto(addresses[where]);
    await hydrated(page);
    await page.keyboard.press("Control+k");
    await expect(offered.first()).toBeVisible();
    const names = async () => (await offered.allTextContents()).map((text) => text.replace(/On this page$/, ""));
    await expect.poll(names, where).toEqual(expect.arrayContaining([...Object.values(COMMANDS[where]), ...BESIDES[where]]));
    if (where !== "design" && where !== "image") continue;
    await palette.getByRole("combobox").fill(`duplicate ${where}`);
    await expect(offered).toHaveText([`Duplicate ${where}On this page`]);
    await page.keyboard.press("Enter");
    await expect(page.getByText(`${where === "design" ? "Design" : "Image"} duplicated`)).toBeVisible();
    if (where !== "image") continue;
    await page.keyboard.press("Control+k");
    await palette.getByRole("combobox").fill("add a tag");
    await expect(offered.first()).toHaveText("Add a tagOn this page");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("article").locator("[data-command='Add a tag']")).toBeFocused();
  }
  const designs = await convex.query(api.designs.getDesignsByProjectId, { projectId });
  expect(designs.map(({ name }) => name).toSorted()).toEqual(["Dial", "Tower", "Tower (copy)"]);
});
