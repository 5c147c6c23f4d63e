import { test } from "./test.ts";

test("changes in one browser appear in the other", async ({ open, user }) => {
  const [first, second] = [await open({ user, browser: "Firefox" }), await open({ user, browser: "WebKit" })];
  await first.open("/projects");
  await second.open("/projects");
  for (const [page, other, name] of [
    [first, second, "Nightfall"],
    [second, first, "Daybreak"],
  ] as const) {
    await page.click({ role: "button", name: "New project" });
    await page.fillIn({ role: "textbox", name: "Name" }, name);
    await page.click({ role: "button", name: "Create project" });
    await other.visible({ role: "link", name, within: { role: "list", name: "Projects" } });
    await page.visible({ role: "heading", name });
    await page.open("/projects");
  }
});
