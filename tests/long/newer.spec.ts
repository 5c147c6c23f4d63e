import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { BUILD } from "../../server/built.ts";
import { ARTIFACT, push, readArtifact } from "../../server/deployment/push.ts";
import { expect, hydrated, openBrowser, signUp, test } from "../harness/test.ts";
import { pageActions } from "../e2e/support/page-actions.ts";

test("keeps an open page live, without a reload, when newer functions are pushed", async ({ launch, browser }) => {
  const app = await launch({});
  const person = await signUp(app.url);
  const [page, other] = [await openBrowser(browser, app, person), await openBrowser(browser, app, person)];
  for (const each of [page, other]) {
    await each.goto("/projects");
    await hydrated(each);
  }
  const actions = pageActions(page, true);
  await actions.create("project", "Before");
  await expect(page.getByRole("heading", { name: "Before" })).toBeVisible();
  await expect(other.getByRole("main").getByText("Before")).toBeVisible();
  let loads = 0;
  other.on("load", () => loads++);

  const artifact = readArtifact(await readFile(join(BUILD, ARTIFACT), "utf8"));
  const projects = artifact.appDefinition.changedModules.find(({ path }) => path === "projects.js");
  if (!projects) throw new Error("There is no projects.js in the build");
  const { engineAdminKey } = JSON.parse(await readFile(join(app.dataDir, "secrets.json"), "utf8"));
  const changed = artifact.appDefinition.changedModules.map((module) =>
    module === projects ? { ...module, source: `${module.source}\nglobalThis.newerBuild = true;\n`, sourceMap: undefined } : module,
  );
  const newer = { ...artifact, appDefinition: { ...artifact.appDefinition, changedModules: changed } };
  await push({ url: app.deployment.url, adminKey: String(engineAdminKey) }, newer);

  await page.goto("/projects");
  await actions.ready();
  await actions.create("project", "After");
  await expect(page.getByRole("heading", { name: "After" })).toBeVisible();
  await expect(other.getByRole("main").getByText("After")).toBeVisible();
  await pageActions(other, true).create("project", "From before");
  await expect(other.getByRole("heading", { name: "From before" })).toBeVisible();
  expect(loads).toBe(0);
  await Promise.all([page, other].map((each) => each.context().close()));
});
