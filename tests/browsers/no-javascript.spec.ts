import { picturePath } from "../fixtures/pictures.ts";
import { test } from "./test.ts";

test("creates a project, uploads and views a picture without JavaScript", async ({ open, user }) => {
  const page = await open({ user, javaScript: false });
  await page.open("/projects");
  await page.click({ role: "button", name: "New project" });
  await page.fillIn({ role: "textbox", name: "Name", within: { role: "dialog", name: "New project" } }, "Nightfall");
  await page.click({ role: "button", name: "Create project" });
  await page.path(/^\/projects\/[a-z0-9]{32}/);
  await page.click({ role: "button", name: "New design" });
  await page.fillIn({ role: "textbox", name: "Name", within: { role: "dialog", name: "New design" } }, "Cover");
  await page.click({ role: "button", name: "Create design" });
  await page.path(/^\/design\/[a-z0-9]{32}/);

  await page.hidden({ role: "text", name: "Drop files anywhere on this page, or choose several at once." });
  await page.driver.chooseFiles([picturePath("fig")]);
  await page.click({ role: "button", name: { part: "Upload" } });
  await page.painted({ role: "image", name: "fig.jpg" });
  await page.click({ role: "button", name: "More for fig.jpg" });
  await page.painted({ role: "link", name: "Rename", within: { role: "group", name: "fig.jpg" } });
  await page.click({ role: "link", name: "Close", within: { role: "group", name: "fig.jpg" } });
  await page.hidden({ role: "group", name: "fig.jpg" });
  await page.click({ role: "link", name: "fig.jpg" });
  await page.path(/\/images\/[a-z0-9]{32}$/);
  await page.painted({ role: "image", name: "fig.jpg" });
});
