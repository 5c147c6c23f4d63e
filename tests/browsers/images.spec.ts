import { picturePath } from "../fixtures/pictures.ts";
import { makeDesign } from "../e2e/support/pictures.ts";
import { test } from "./test.ts";

test("uploads pictures and shows them in the viewer", async ({ open, app, user }) => {
  const { path } = await makeDesign(app, user);
  const page = await open({ user });
  await page.open(path);
  await page.visible({ role: "heading", name: "No images yet" });
  // One after the other, because images are listed in the order in which their uploads end.
  for (const [picture, name] of [
    ["fig", "fig.jpg"],
    ["stripes", "stripes.png"],
  ] as const) {
    await page.driver.chooseFiles([picturePath(picture)]);
    await page.painted({ role: "image", name });
  }

  await page.click({ role: "link", name: "fig.jpg" });
  await page.path(/\/images\/[a-z0-9]{32}$/);
  await page.painted({ role: "image", name: "fig.jpg" });
  await page.click({ role: "link", name: "Next image" });
  await page.painted({ role: "image", name: "stripes.png" });
  await page.click({ role: "button", name: "More for this image" });
  await page.visible({ role: "link", name: "Move to…", within: { role: "group", name: "More for this image" } });
  await page.driver.press("Escape");
  await page.hidden({ role: "group", name: "More for this image" });
  await page.driver.press("Escape");
  await page.path(path);
  await page.painted({ role: "image", name: "fig.jpg" });
});
