import { api } from "../../../convex/_generated/api.js";
import { withAndWithoutJavaScript, expect, expectAccessible, hydrated, test } from "../../harness/test.ts";
import { pageActions } from "../support/page-actions.ts";
import { addPictures, deploymentAs } from "../support/pictures.ts";

withAndWithoutJavaScript((javaScript) => {
  test(
    "a deleted item is hidden, shows in the trash and is restored unchanged",
    { tag: "@deleted-item-hidden-and-restored" },
    async ({ page, app, person }) => {
      const actions = pageActions(page, javaScript);
      const convex = await deploymentAs(app, person);
      const projectId = await convex.mutation(api.projects.create, { name: "Magazine" });
      const designId = await convex.mutation(api.designs.create, { projectId, name: "Cover" });
      const [image = ""] = await addPictures(app, person, designId, ["fig"]);

      await actions.open(`/projects/${projectId}`);
      await actions.removeCard("Cover");
      const notice = javaScript ? page.getByText("Design moved to the trash") : page.locator("noscript [role=status]");
      await expect(notice).toContainText("Design moved to the trash");
      await expect(page.locator(javaScript ? "[data-sonner-toast] button" : "noscript form[action='/undo']").first()).toBeAttached();
      await expect(page.getByRole("heading", { name: "No designs yet" })).toBeVisible();
      await actions.open(`/design/${designId}/images/${image}`);
      await expect(page.getByRole("heading", { name: "“Cover” is in the trash" })).toBeVisible();

      await actions.open("/trash");
      await expect(page.getByRole("listitem").filter({ hasText: "Cover" })).toContainText("1 image");
      await expectAccessible(page);
      const confirmation = page.getByRole("dialog", { name: "Delete design permanently?" });
      await page.getByRole("link", { name: "Delete permanently: Cover" }).click();
      await expect(confirmation).toContainText("Cover is deleted with 1 image. This cannot be undone.");
      await expectAccessible(page);
      await confirmation.getByText("Cancel").click();
      await expect(confirmation).toBeHidden();
      await expect(page.getByRole("listitem").filter({ hasText: "Cover" })).toBeVisible();
      await convex.mutation(api.projects.moveToTrash, { id: projectId });
      if (!javaScript) await actions.open("/trash");
      await page.getByRole("link", { name: "Restore to…: Cover" }).click();
      await expect(page.getByRole("heading", { name: "Restore “Cover” to another location" })).toBeVisible();
      await expectAccessible(page);
      await actions.open("/trash");
      await actions.press("Restore with its project: Cover");
      await expect(page.getByRole("heading", { name: "The trash is empty" })).toBeVisible();
      await actions.open(`/design/${designId}`);
      await expect(page.getByRole("list", { name: "Images" }).getByRole("listitem")).toHaveCount(1);
    },
  );
});

test(
  "undo is offered for a form that was sent before the live connection",
  { tag: "@undo-before-connection" },
  async ({ page, app, person }) => {
    const actions = pageActions(page, true);
    const convex = await deploymentAs(app, person);
    await convex.mutation(api.projects.create, { name: "Magazine" });
    const isSent = Promise.withResolvers<void>();
    await page.route(/\/assets\/live-session-/, async (route) => {
      await isSent.promise;
      await route.continue();
    });
    const socket = page.waitForEvent("websocket");
    await page.route("**/*", async (route) => {
      if (route.request().method() !== "POST") return route.fallback();
      const response = await route.fetch();
      isSent.resolve();
      await (await socket).waitForEvent("framereceived");
      await route.fulfill({ response });
    });
    await actions.open("/projects");
    await actions.removeCard("Magazine");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(page.getByRole("main").getByRole("link", { name: "Magazine" })).toBeVisible();
  },
);

test("undo works by button and key, also for an item open in another browser", async ({ page, app, person, otherBrowser }) => {
  const actions = pageActions(page, true);
  const convex = await deploymentAs(app, person);
  const projectId = await convex.mutation(api.projects.create, { name: "Magazine" });
  const watching = await otherBrowser(person);
  await watching.goto(`/projects/${projectId}`);
  await hydrated(watching);

  await actions.open("/projects");
  await actions.removeCard("Magazine");
  await expect(watching.getByRole("heading", { name: "“Magazine” is in the trash" })).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByRole("heading", { name: "Magazine" })).toBeVisible();

  await actions.removeCard("Magazine");
  await expect(page.getByRole("heading", { name: "No projects yet" })).toBeVisible();
  await page.keyboard.press("Control+z");
  await expect(page.getByRole("heading", { name: "Magazine" })).toBeVisible();

  await actions.removeCard("Magazine");
  await expect(page.getByRole("heading", { name: "No projects yet" })).toBeVisible();
  await watching.getByRole("button", { name: "Restore" }).click();
  await expect(watching.getByLabel("Name of the project")).toHaveValue("Magazine");
  await expect(page.getByRole("heading", { name: "Magazine" })).toBeVisible();
});

test("shows a trash of more than a hundred items page by page", async ({ app, person, request }) => {
  const convex = await deploymentAs(app, person);
  const projectId = await convex.mutation(api.projects.create, { name: "Magazine" });
  const ids = [];
  for (let place = 0; place < 101; place++) ids.push(await convex.mutation(api.designs.create, { projectId, name: `Design ${place}` }));
  await convex.mutation(api.many.trashDesigns, { ids });
  const read = async (path: string) => (await request.get(path, { headers: { Cookie: person.cookieHeader } })).text();
  const rows = (html: string) => html.match(/aria-label="Restore: Design \d+"/g) ?? [];
  const first = await read("/trash");
  expect(rows(first)).toHaveLength(100);
  expect(first).toContain('href="/trash?kind=design"');
  const page = await read("/trash?kind=design");
  const next = /href="(\/trash\?kind=design&amp;after=[^"]+)"/.exec(page)?.[1]?.replaceAll("&amp;", "&") ?? "";
  const later = await read(next);
  expect(rows(later)).toHaveLength(1);
  expect(new Set([...rows(page), ...rows(later)]).size).toBe(101);
});
