import { api } from "../../../convex/_generated/api.js";
import { withAndWithoutJavaScript, expect, expectAccessible, hydrated, test } from "../../harness/test.ts";
import { card, gallery, twoImages } from "../support/gallery.ts";
import { controlConnection } from "../support/controlled-connection.ts";
import { pageActions } from "../support/page-actions.ts";
import { deploymentAs, imagesIn } from "../support/pictures.ts";

test.describe.configure({ mode: "parallel" });

withAndWithoutJavaScript((javaScript) => {
  test("a change is undone and redone by the message's button", { tag: "@undo-by-button" }, async ({ page, app, person }) => {
    const { path, names } = await twoImages(app, person);
    const actions = pageActions(page, javaScript);
    await actions.open(path);
    await actions.renameCard("image", "fig.jpg", "Figs");
    const press = (name: string) => page.getByRole("button", { name, exact: true }).last().click();
    await press("Undo");
    await expect(gallery(page).first()).toContainText("fig.jpg");
    await expect.poll(names).toEqual(["fig.jpg", "bank.png"]);
    await press("Redo");
    await expect(gallery(page).first()).toContainText("Figs");
  });

  test("both texts are shown when two people edit one name", { tag: "@both-texts-shown" }, async ({ page, app, person }) => {
    const { path, designId, convex } = await twoImages(app, person);
    const actions = pageActions(page, javaScript);
    const rename = (name: string) => convex.mutation(api.designs.rename, { id: designId, name });
    const stored = async () => (await convex.query(api.designs.getDesignById, { id: designId })).name;
    const field = page.getByLabel("Name of the design");
    await actions.open(path);
    await field.fill("Mine");
    await rename("Theirs");
    await field.press("Enter");
    const conflict = page.getByRole("alert").filter({ hasText: "changed in the meantime" });
    await expect(conflict).toContainText("Theirs");
    await expect(field).toHaveValue("Mine");
    await expectAccessible(page);
    await conflict.getByRole("link", { name: "Keep the saved text" }).click();
    await expect(conflict).toBeHidden();
    await expect(field).toHaveValue("Theirs");
    await actions.ready();

    await page.getByRole("button", { name: "Add a description" }).click();
    const open = actions.dialog(/(Add a|Edit) description/);
    await open.getByRole("textbox").fill("My text");
    await convex.mutation(api.designs.setDescription, { id: designId, description: "Their text" });
    await open.getByRole("button", { name: "Save" }).click();
    await expect(open.getByRole("alert")).toContainText("Their text");
    await expect(open.getByRole("textbox")).toHaveValue("My text");
    await open.getByRole("button", { name: "Overwrite with my text" }).click();
    await expect(page.locator("p", { hasText: "My text" })).toBeVisible();
    expect(await stored()).toBe("Theirs");
  });

  test("favourites are marked on pages and filtered in lists", { tag: "@favourites-filter" }, async ({ page, app, person }) => {
    const convex = await deploymentAs(app, person);
    const projectId = await convex.mutation(api.projects.create, { name: "One" });
    await convex.mutation(api.projects.create, { name: "Two" });
    const actions = pageActions(page, javaScript);
    await actions.open(`/projects/${projectId}`);
    const star = page.getByRole("button", { name: "Favourite", exact: true });
    await expect(star).toHaveAttribute("aria-pressed", "false");
    await star.click();
    await expect(star).toHaveAttribute("aria-pressed", "true");
    await actions.open("/projects");
    await page.getByRole("link", { name: "Favourites", exact: true }).click();
    await expect(actions.cards).toHaveText(["One"]);
    await expectAccessible(page);
    await actions.runCardAction("Remove from favourites", "One");
    await expect(page.getByRole("heading", { name: "No favourites" })).toBeVisible();
    await page.getByRole("link", { name: "Show all projects" }).click();
    await expect(actions.cards).toHaveText(["Two", "One"]);
  });
});

test("refuses to undo after a change in another browser; Shift redoes", async ({ page, app, person }) => {
  const { path, convex, ids, names } = await twoImages(app, person);
  await page.goto(path);
  await hydrated(page);
  await card(page, "fig.jpg").focus();
  await page.keyboard.press("Delete");
  await expect(gallery(page)).toHaveCount(1);
  await page.keyboard.press("Control+z");
  await expect(gallery(page)).toHaveCount(2);
  await page.keyboard.press("Control+Shift+z");
  await expect(gallery(page)).toHaveCount(1);
  await convex.mutation(api.trash.restore, { id: ids[0] ?? "" });
  await expect(gallery(page)).toHaveCount(2);
  await page.keyboard.press("Control+z");
  await expect(page.getByText("“fig.jpg” was changed in the meantime")).toBeVisible();
  await expect.poll(names).toEqual(["fig.jpg", "bank.png"]);
});

test("each action is undone by key and message, and redone", { tag: ["@undo-each-action", "@slow"] }, async ({ page, app, person }) => {
  const { path, convex, designId, names } = await twoImages(app, person);
  const { projectId } = await convex.query(api.designs.getDesignById, { id: designId });
  const other = await convex.mutation(api.designs.create, { projectId, name: "Other" });
  const actions = pageActions(page, true);
  const menuItem = async (name: string, what: string) => {
    await page.getByRole("button", { name: `More for ${name}`, exact: true }).click();
    await page.getByRole("group", { name, exact: true }).getByText(what, { exact: true }).click();
  };
  const state = async () => {
    const [design, images, moved] = [
      await convex.query(api.designs.getDesignById, { id: designId }),
      await imagesIn(app, person, designId),
      await imagesIn(app, person, other),
    ];
    return JSON.stringify([
      [design.name, design.description, design.tags, design.favourite, design.coverChosen],
      [images, moved].map((rows) => rows.map(({ name, tags, caption }) => [name, tags, caption])),
    ]);
  };
  const each: [action: string, act: () => Promise<unknown>][] = [
    ["rename", () => actions.renameInPlace("Renamed", "design")],
    ["describe", () => actions.setText("description", "A text")],
    ["favourite", () => page.getByRole("button", { name: "Favourite", exact: true }).click()],
    ["cover", () => menuItem("bank.png", "Use as design cover")],
    [
      "tag",
      () =>
        page
          .getByLabel("Add a tag")
          .fill("poster")
          .then(() => page.keyboard.press("Enter")),
    ],
    ["copy", () => menuItem("fig.jpg", "Duplicate")],
    ["reorder", () => menuItem("fig.jpg", "Move down")],
    ["move", () => menuItem("fig.jpg", "Move to…").then(() => actions.moveTo("Other"))],
    ["delete", () => actions.removeCard("fig.jpg")],
  ];
  const act = async (run: () => Promise<unknown>) => {
    await actions.open(path);
    const before = await state();
    await run();
    await expect.poll(state).not.toBe(before);
    return { before, after: await state() };
  };
  const toast = (text: RegExp) => page.locator('[data-sonner-toast]:not([data-removed="true"])').filter({ hasText: text });
  for (const [action, run] of each) {
    await test.step(action, async () => {
      const { before, after } = await act(run);
      const click = (name: string, text: RegExp) => toast(text).getByRole("button", { name, exact: true }).click();
      const press = (key: string) => page.keyboard.press(key);
      for (const [way, expected] of [
        [() => click("Undo", /^(?!Redone)/), before],
        [() => press("Control+Shift+z"), after],
        [() => press("Control+z"), before],
        [() => click("Redo", /^Undone/), after],
        [() => click("Undo", /^Redone/), before],
      ] as const) {
        await way();
        await expect.poll(state, String(way)).toBe(expected);
      }
    });
  }
  expect(await names()).toEqual(["fig.jpg", "bank.png"]);
});

test(
  "titles follow renames, and a restored item returns to its open page",
  { tag: ["@live-titles-and-trash", "@slow"] },
  async ({ page, app, person }) => {
    const { path, convex, designId, ids } = await twoImages(app, person);
    await page.goto(path);
    await hydrated(page);
    await convex.mutation(api.designs.rename, { id: designId, name: "Renamed" });
    await expect(page).toHaveTitle("Renamed · Atelier");
    await card(page, "fig.jpg").click();
    await expect(page).toHaveTitle("fig.jpg · Atelier");
    await convex.mutation(api.designImages.rename, { id: ids[0] ?? "", name: "Figs" });
    await expect(page).toHaveTitle("Figs · Atelier");
    await page.keyboard.press("Escape");
    await expect(page).toHaveTitle("Renamed · Atelier");

    await page.getByRole("button", { name: "Add a description" }).click();
    const text = page.getByRole("dialog").getByRole("textbox");
    await text.fill("Half a thought");
    const reloads: string[] = [];
    page.on("request", (request) => void (request.url().includes(".data") && reloads.push(request.method())));
    await convex.mutation(api.designs.moveToTrash, { id: designId });
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await expect(page.getByRole("dialog").getByText("This item no longer exists, or you can no longer change it.")).toBeVisible();
    await expect(text).toHaveValue("Half a thought");
    expect(reloads.filter((method) => method === "GET")).toEqual([]);
    await page.keyboard.press("Escape");
    const isTrashed = (name: string) => page.getByRole("heading", { name: `“${name}” is in the trash` });
    await expect(isTrashed("Renamed")).toBeVisible();
    await convex.mutation(api.trash.restore, { id: designId });
    await expect(page.getByLabel("Name of the design")).toHaveValue("Renamed");

    await page.goto(`${path}/images/${ids[0]}`);
    await hydrated(page);
    await convex.mutation(api.designImages.moveToTrash, { id: ids[0] ?? "" });
    await expect(isTrashed("Figs")).toBeVisible();
    await convex.mutation(api.trash.restore, { id: ids[0] ?? "" });
    await expect(page).toHaveURL(path);
    await expect(gallery(page)).toHaveCount(2);
  },
);

test("keeps a rejected text while the websocket is down", { tag: "@rejected-text-over-http" }, async ({ page, app, person }) => {
  const { path, convex, designId } = await twoImages(app, person);
  const connection = await controlConnection(page);
  await page.goto(path);
  await hydrated(page);
  await connection.live();
  await connection.cut();
  await expect(page.getByRole("button", { name: /^Reconnecting/ })).toBeVisible();
  await page.getByRole("button", { name: "Add a description" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").fill("Half a thought");
  await convex.mutation(api.designs.moveToTrash, { id: designId });
  const requests: string[] = [];
  page.on("request", (request) => void (request.url().includes(".data") && requests.push(request.method())));
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog.getByText("This item no longer exists, or you can no longer change it.")).toBeVisible();
  connection.restore();
  await expect(page.getByRole("button", { name: /^Reconnecting/ })).toHaveCount(0);
  await expect(dialog.getByRole("textbox")).toHaveValue("Half a thought");
  expect(requests).toEqual(["POST"]);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("heading", { name: /is in the trash$/ })).toBeVisible();
});
