import { addPictures, imagesIn, makeDesign } from "../e2e/support/pictures.ts";
import { expect, test } from "./test.ts";

test("reorders images by keyboard and by dragging", async ({ open, app, user }) => {
  const { designId, path } = await makeDesign(app, user);
  await addPictures(app, user, designId, ["fig", "bank", "clock"]);
  const order = async () => (await imagesIn(app, user, designId)).map(({ name }) => name.split(".")[0]).join(" ");
  const page = await open({ user });
  await page.open(path);

  await page.focus({ role: "button", name: "Reorder clock.webp" });
  await page.driver.press("Space");
  await page.driver.press("Home");
  await page.driver.press("Space");
  await expect.poll(order).toBe("clock fig bank");

  const [from, to] = [await page.reach({ role: "link", name: "bank.png" }), await page.reach({ role: "link", name: "clock.webp" })];
  await page.driver.drag({ x: from.x + from.width / 2, y: from.y + from.height / 2 }, { x: to.x + 12, y: to.y + to.height / 2 });
  await expect.poll(order).toBe("bank clock fig");
  await page.path(path);
});
