import { api } from "../../convex/_generated/api.js";
import { addPictures, deploymentAs, imagesIn, makeDesign } from "../e2e/support/pictures.ts";
import { expect, test } from "./test.ts";

const box = (name: string) => ({ role: "checkbox", name: `Select ${name}` }) as const;

test("shows every picture and card while selecting", async ({ open, app, user }) => {
  const { designId, path } = await makeDesign(app, user);
  const convex = await deploymentAs(app, user);
  const { projectId } = await convex.query(api.designs.getDesignById, { id: designId });
  const names = ["fig.jpg", "bank.png", "stripes.png"];
  await addPictures(app, user, designId, ["fig", "bank", "stripes"]);
  const page = await open({ user });

  await page.open(path);
  await page.click({ role: "link", name: "Select" });
  for (const name of names) {
    await page.click(box(name));
    await page.checked(box(name));
    await page.painted(box(name));
    await page.painted({ role: "item", name: { part: name } });
  }
  await page.open(path);
  await page.click({ role: "button", name: "List" });
  await page.click({ role: "link", name: "Select" });
  await page.painted({ role: "item", name: { part: "fig.jpg" } });

  await page.open(`/projects/${projectId}`);
  await page.click({ role: "link", name: "Select" });
  await page.click(box("Cover"));
  await page.painted({ role: "item", name: { part: "Cover" }, within: { role: "list", name: "Designs" } });

  await page.open(`${path}?select=1`);
  await page.click(box("fig.jpg"));
  await page.click({ role: "button", name: "Move to trash", within: { role: "form", name: "Selection" } });
  await expect.poll(async () => (await imagesIn(app, user, designId)).map(({ name }) => name)).toEqual(["bank.png", "stripes.png"]);
});
