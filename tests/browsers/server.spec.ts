import { api } from "../../convex/_generated/api.js";
import { deploymentAs } from "../e2e/support/pictures.ts";
import { signUp } from "../harness/people.ts";
import { expect, test } from "./test.ts";

test("keeps a change that is made while the server is stopped", async ({ open, ownApp }) => {
  const user = await signUp(ownApp.url);
  const page = await open({ user, app: ownApp });
  await page.open("/projects");
  const convex = await deploymentAs(ownApp, user);
  await convex.mutation(api.projects.create, { name: "Nightfall" });
  await page.visible({ role: "button", name: "More for Nightfall" });

  await ownApp.stop();
  await page.visible({ role: "button", name: { part: "Reconnecting" } });
  await page.click({ role: "button", name: "More for Nightfall" });
  await page.click({ role: "link", name: "Rename" });
  await page.fillIn({ role: "textbox", name: "Name", within: { role: "dialog", name: "Rename project" } }, "Daybreak");
  await page.click({ role: "button", name: "Rename", within: { role: "dialog", name: "Rename project" } });
  await page.visible({ role: "link", name: "Daybreak" });

  await ownApp.start();
  await page.hidden({ role: "button", name: { part: "Reconnecting" } });
  const other = await open({ user, app: ownApp });
  await other.open("/projects");
  await other.visible({ role: "link", name: "Daybreak" });
  expect(await page.driver.url()).toBe(`${ownApp.url}/projects`);
});
