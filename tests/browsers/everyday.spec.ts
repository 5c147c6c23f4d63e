import { api } from "../../convex/_generated/api.js";
import { addPictures, deploymentAs, imagesIn, makeDesign } from "../e2e/support/pictures.ts";
import type { Person, RunningApp } from "../harness/test.ts";
import { expect, test } from "./test.ts";

async function seed(app: RunningApp, user: Person) {
  const { designId, path } = await makeDesign(app, user);
  const ids = await addPictures(app, user, designId, ["fig", "bank", "stripes"]);
  const convex = await deploymentAs(app, user);
  const { projectId } = await convex.query(api.designs.getDesignById, { id: designId });
  const back = await convex.mutation(api.designs.create, { projectId, name: "Back" });
  const namesIn = async (id = designId) => (await imagesIn(app, user, id)).map(({ name }) => name);
  return { designId, path, projectId, back, ids, namesIn };
}

test("copies an image by the picker, and undoes it by keyboard", async ({ open, app, user }) => {
  const { path, back, namesIn } = await seed(app, user);
  const page = await open({ user });
  await page.open(path);
  await page.click({ role: "button", name: "More for fig.jpg" });
  await page.click({ role: "link", name: "Move to…" });
  const picker = { role: "dialog", name: "Move or copy 1 image" } as const;
  await page.fillIn({ role: "textbox", name: "Search designs", within: picker }, "Back");
  await page.driver.press("ArrowDown");
  await page.checked({ role: "radio", name: { part: "Back" }, within: picker });
  await page.painted({ role: "button", name: "Copy here", within: picker });
  await page.click({ role: "button", name: "Copy here", within: picker });
  await page.hidden(picker);
  await expect.poll(() => namesIn(back)).toEqual(["fig.jpg"]);
  await page.driver.press("z", "Control");
  await expect.poll(() => namesIn(back)).toEqual([]);
});

test("selects by Ctrl and Shift, and trashes by keyboard", async ({ open, app, user }) => {
  const { path, namesIn } = await seed(app, user);
  const page = await open({ user });
  await page.open(path);
  await page.click({ role: "link", name: "fig.jpg" }, { modifier: "Control" });
  await page.visible({ role: "text", name: "1 image selected" });
  await page.click({ role: "checkbox", name: "Select bank.png" }, { modifier: "Shift" });
  await page.visible({ role: "text", name: "2 images selected" });
  await page.driver.press("Delete");
  await expect.poll(() => namesIn()).toEqual(["stripes.png"]);
  await page.driver.press("z", "Control");
  await expect.poll(() => namesIn()).toEqual(["fig.jpg", "bank.png", "stripes.png"]);
  await page.focus({ role: "link", name: "stripes.png" });
  await page.driver.press("F2");
  await page.fillIn({ role: "textbox", name: "Name", within: { role: "dialog", name: "Rename image" } }, "lines.png");
  await page.driver.press("Enter");
  await expect.poll(() => namesIn()).toEqual(["fig.jpg", "bank.png", "lines.png"]);
});

test("goes to a design by the command menu", async ({ open, app, user }) => {
  const { back } = await seed(app, user);
  const page = await open({ user });
  await page.open("/projects");
  await page.driver.press("k", "Control");
  const palette = { role: "dialog", name: "Commands" } as const;
  await page.painted(palette);
  await page.driver.type("back");
  await page.painted({ role: "text", name: { part: "Magazine" }, within: palette });
  await page.driver.press("Enter");
  await page.path(`/design/${back}`);
  await page.driver.press("k", "Control");
  await page.visible(palette);
  await page.driver.press("Escape");
  await page.hidden(palette);
});

test("restores from the trash, and deletes permanently", async ({ open, app, user }) => {
  const { designId, ids, namesIn } = await seed(app, user);
  const convex = await deploymentAs(app, user);
  for (const id of ids.slice(0, 2)) await convex.mutation(api.designImages.moveToTrash, { id });
  const page = await open({ user });
  await page.open("/trash");
  await page.click({ role: "button", name: "Restore: fig.jpg" });
  await expect.poll(() => namesIn()).toEqual(["fig.jpg", "stripes.png"]);
  await page.click({ role: "link", name: "Delete permanently: bank.png" });
  const dialog = { role: "dialog", name: "Delete image permanently?" } as const;
  await page.painted({ role: "button", name: "Delete permanently", within: dialog });
  await page.click({ role: "button", name: "Delete permanently", within: dialog });
  await page.visible({ role: "heading", name: "The trash is empty" });
  expect(await imagesIn(app, user, designId)).toHaveLength(2);
});

test("shows and hides the viewer's panel and bars", async ({ open, app, user }) => {
  const { path, ids } = await seed(app, user);
  const page = await open({ user });
  await page.open(`${path}/images/${ids[0]}`);
  await page.painted({ role: "image", name: "fig.jpg" });
  await page.hidden({ role: "textbox", name: "Add a tag" });
  await page.driver.press("i");
  await page.painted({ role: "textbox", name: "Add a tag" });
  await page.driver.press("i");
  await page.hidden({ role: "textbox", name: "Add a tag" });
  await page.click({ role: "button", name: "Hide controls" });
  await page.hidden({ role: "link", name: "Close" });
  await page.click({ role: "button", name: "Show controls" });
  await page.painted({ role: "link", name: "Close" });
  await page.driver.press("ArrowRight");
  await page.painted({ role: "image", name: "bank.png" });
  await page.driver.press("Escape");
  await page.path(path);
});
