import { test } from "./test.ts";

const dialog = (name: string) => ({ role: "dialog", name }) as const;

test("creates, renames and removes a project by dialogs", async ({ open, user }) => {
  const page = await open({ user });
  await page.open("/projects");
  await page.click({ role: "button", name: "New project" });
  await page.visible(dialog("New project"));
  await page.focused({ role: "textbox", name: "Name" });
  await page.driver.press("Escape");
  await page.hidden(dialog("New project"));
  await page.focused({ role: "button", name: "New project" });

  await page.driver.press("Enter");
  await page.fillIn({ role: "textbox", name: "Name", within: dialog("New project") }, "Nightfall");
  await page.click({ role: "button", name: "Create project" });
  await page.path(/^\/projects\/[a-z0-9]{32}$/);

  await page.open("/projects");
  await page.click({ role: "button", name: "More for Nightfall" });
  await page.click({ role: "link", name: "Rename" });
  await page.fillIn({ role: "textbox", name: "Name", within: dialog("Rename project") }, "Daybreak");
  await page.click({ role: "button", name: "Rename", within: dialog("Rename project") });
  await page.hidden(dialog("Rename project"));
  await page.click({ role: "button", name: "More for Daybreak" });
  await page.click({ role: "button", name: "Move to trash" });
  await page.hidden({ role: "button", name: "More for Daybreak" });
  await page.click({ role: "button", name: "Undo", within: { role: "item", name: { part: "Project moved to the trash" } } });
  await page.visible({ role: "button", name: "More for Daybreak" });
});
