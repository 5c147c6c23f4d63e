import { addPictures, makeDesign } from "../e2e/support/pictures.ts";
import { test } from "./test.ts";

test("fits a window of 360 px, with the sidebar as a sheet", async ({ open, app, user }) => {
  const { designId, path } = await makeDesign(app, user);
  const [imageId = ""] = await addPictures(app, user, designId, ["fig", "bank"]);
  const page = await open({ user, width: 360 });
  for (const each of ["/projects", path, `${path}?select=1`, `${path}/images/${imageId}`, "/trash", "/account"]) {
    await page.open(each);
    await page.noSidewaysScroll();
  }
  await page.open(path);
  await page.painted({ role: "image", name: "fig.jpg" });
  await page.click({ role: "button", name: "Open the sidebar" });
  await page.painted({ role: "link", name: "Trash" });
  await page.click({ role: "button", name: "Close the sidebar" });
  await page.hidden({ role: "link", name: "Trash" });
  await page.click({ role: "button", name: "More for fig.jpg" });
  await page.painted({ role: "link", name: "Rename", within: { role: "group", name: "fig.jpg" } });
});

// WebKit 2.50 hangs when an ancestor of an element with `position-try-fallbacks` gets `display: none`.
test("closes the sheet after its menu, and hides the panel while its menu is open", async ({ open, user }) => {
  const page = await open({ user, width: 360 });
  await page.open("/projects");
  await page.click({ role: "button", name: "Open the sidebar" });
  await page.click({ role: "button", name: { part: user.email } });
  await page.painted({ role: "link", name: "Account" });
  await page.driver.press("Escape");
  await page.hidden({ role: "link", name: "Account" });
  await page.driver.press("Escape");
  await page.hidden({ role: "link", name: "Trash" });

  const wide = await open({ user });
  await wide.open("/projects");
  await wide.click({ role: "button", name: { part: user.email } });
  await wide.painted({ role: "link", name: "Account" });
  await wide.focus({ role: "button", name: "Hide the sidebar" });
  await wide.driver.press("Enter");
  await wide.hidden({ role: "link", name: "Trash" });
});
