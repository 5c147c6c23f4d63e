import { api } from "../../../convex/_generated/api.js";
import { withAndWithoutJavaScript, expect, expectAccessible, test } from "../../harness/test.ts";
import { type PageActions, pageActions, stored } from "../support/page-actions.ts";
import { deploymentAs } from "../support/pictures.ts";

const NAME_MAX = 200;

withAndWithoutJavaScript((javaScript) => {
  test("makes, renames and deletes projects and designs", async ({ page, person, app }) => {
    const she = pageActions(page, javaScript);
    await she.open("/projects/");
    await expect(page.getByRole("heading", { name: "No projects yet" })).toBeVisible();
    await expectAccessible(page);

    await she.makeProject("Nightfall");
    await she.makeProject("Autumn catalogue");
    await she.open("/projects");
    await expect(she.cards).toHaveText(["Autumn catalogue", "Nightfall"]);
    await expectAccessible(page);

    await she.renameCard("project", "Nightfall", "Daybreak");
    await expect(she.cards).toHaveText(["Daybreak", "Autumn catalogue"]);
    await expect(she.sidebar).toHaveText(["Daybreak", "Autumn catalogue"]);
    await expect(page).toHaveURL("/projects");

    await she.ready();
    await page.getByRole("main").getByRole("link", { name: "Daybreak" }).click();
    await expect(page.getByRole("heading", { name: "No designs yet" })).toBeVisible();
    await she.ready();
    await she.create("design", "Cover");
    await expect(page).toHaveURL(/\/design\/[a-z0-9]{32}$/);
    await she.ready();
    await page.getByRole("navigation", { name: "Breadcrumb" }).getByRole("link", { name: "Daybreak" }).click();
    await expect(she.cards).toHaveText(["Cover"]);
    await expectAccessible(page);

    await she.ready();
    await she.renameCard("design", "Cover", "Front");
    await expect(she.cards).toHaveText(["Front"]);
    await she.ready();
    await she.renameInPlace("Dawn");
    await expect(page.getByRole("heading", { name: "Dawn", level: 1 })).toBeAttached();
    await expect
      .poll(() => stored(app, person))
      .toEqual([
        { name: "Dawn", designs: ["Front"] },
        { name: "Autumn catalogue", designs: [] },
      ]);

    await she.ready();
    await she.removeCard("Front");
    await expect(page.getByRole("heading", { name: "No designs yet" })).toBeVisible();
    await she.ready();
    await she.deletePageItem("project");
    await expect(page).toHaveURL(/\/projects(?:#open-menu)?$/);
    await expect(she.cards).toHaveText(["Autumn catalogue"]);
    await she.ready();
    await she.removeCard("Autumn catalogue");
    await expect(page.getByRole("heading", { name: "No projects yet" })).toBeVisible();
    await expect(page).toHaveURL(/\/projects(?:#open-menu)?$/);
    await expect.poll(() => stored(app, person)).toEqual([]);
  });

  const bad = [
    { what: "an empty name", typed: "   ", message: (thing: string) => `Enter a name for the ${thing}.` },
    { what: "a name of 300 characters", typed: "n".repeat(300), message: () => `A name can have at most ${NAME_MAX} characters.` },
  ];
  for (const { what, typed, message } of bad) {
    test(`${what} is reported at its field and keeps the input`, { tag: "@slow" }, async ({ page, person, app }) => {
      const she = pageActions(page, javaScript);
      await she.makeProject("Nightfall");
      await she.create("design", "Cover");
      await expect(page).toHaveURL(/\/design\//);
      await she.open("/projects");

      const refusedIn = async (dialog: ReturnType<PageActions["dialog"]>, thing: string) => {
        await expect(dialog.getByLabel("Name")).toHaveAccessibleDescription(message(thing));
        await expect(dialog.getByLabel("Name")).toHaveValue(typed);
        await expect(dialog.getByLabel("Name")).toHaveAttribute("aria-invalid", "true");
        await expect(dialog.getByRole("alert").filter({ hasText: message(thing) })).toBeVisible();
        await expectAccessible(page);
      };

      await she.create("project", typed);
      await refusedIn(she.dialog("New project"), "project");
      await she.ready();
      await she.dialog("New project").getByLabel("Name").fill("Daybreak");
      await she.dialog("New project").getByRole("button", { name: "Create project" }).click();
      await expect(page).toHaveURL(/\/projects\/./);

      await she.open("/projects");
      await she.renameCard("project", "Nightfall", typed);
      await refusedIn(she.dialog("Rename project"), "project");

      await she.open("/projects");
      await page.getByRole("main").getByRole("link", { name: "Nightfall" }).click();
      await expect(page.getByLabel("Name of the project")).toBeVisible();
      await she.ready();
      await she.create("design", typed);
      await refusedIn(she.dialog("New design"), "design");

      await page.reload();
      await she.ready();
      await she.renameInPlace(typed);
      await expect(page.getByLabel("Name of the project")).toHaveAccessibleDescription(message("project"));
      await expect(page.getByLabel("Name of the project")).toHaveValue(typed);
      expect(await stored(app, person)).toEqual([
        { name: "Daybreak", designs: [] },
        { name: "Nightfall", designs: ["Cover"] },
      ]);
    });
  }

  test("a cancelled action changes nothing", async ({ page, person }) => {
    expect(person.id).not.toBe("");
    const she = pageActions(page, javaScript);
    await she.makeProject("Nightfall");
    await she.open("/projects");
    await she.openCardDialog("Rename", "Nightfall");
    await she.dialog("Rename project").getByRole("link", { name: "Cancel" }).click();
    await expect(she.dialog("Rename project")).toBeHidden();
    await expect(page).toHaveURL("/projects");
    await expect(she.cards).toHaveText(["Nightfall"]);
    await she.ready();
    await page.getByRole("button", { name: "New project" }).click();
    await she.dialog("New project").getByRole("button", { name: "Cancel" }).click();
    await expect(she.dialog("New project")).toBeHidden();
    await page.getByRole("button", { name: "New project" }).click();
    await expect(she.dialog("New project").getByLabel("Name")).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(she.dialog("New project")).toBeHidden();
    await expect(page.getByRole("button", { name: "New project" })).toBeFocused();
  });

  test("names with markup are shown as text", async ({ page, person }) => {
    expect(person.id).not.toBe("");
    const she = pageActions(page, javaScript);
    const name = `<b onclick="x()">Bold</b> & "quoted" 👩‍🎨 ضوء`;
    const path = await she.makeProject(name);
    await she.open("/projects");
    await expect(she.cards).toHaveText([name]);
    await she.open(path);
    await expect(page).toHaveTitle(`\u2068${name}\u2069 · Atelier`);
  });

  test("the second page of projects stays open after an action on an item", { tag: "@slow" }, async ({ page, person, app }) => {
    const convex = await deploymentAs(app, person);
    for (let many = 1; many <= 201; many++) await convex.mutation(api.projects.create, { name: `Project ${many}` });
    const she = pageActions(page, javaScript);
    await she.open("/projects");
    await expect(she.cards).toHaveCount(200);
    if (javaScript) await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    else await page.getByRole("link", { name: "More projects" }).click();
    await expect(she.cards).toHaveCount(javaScript ? 201 : 1);
    await expect(she.cards.last()).toHaveText("Project 1");
    await she.ready();
    await she.renameCard("project", "Project 1", "First of all");
    await expect.poll(() => convex.query(api.projects.getProjects, {}).then(([first]) => first?.name)).toBe("First of all");
    if (!javaScript) {
      await expect(page).toHaveURL(/\?after=/);
      await page.getByRole("link", { name: "First projects" }).click();
    }
    await expect(she.cards.first()).toHaveText("First of all");
    await expect(she.cards).toHaveCount(javaScript ? 201 : 200);
  });

  test("another user's project answers like a missing one", { tag: "@slow" }, async ({ page, person, stranger, otherBrowser }) => {
    expect(person.id).not.toBe("");
    const foreign = await pageActions(await otherBrowser(stranger), javaScript).makeProject("Secret");
    const she = pageActions(page, javaScript);
    const messages: string[] = [];
    for (const path of [foreign, foreign.replace(/.{4}$/, "0000"), "/projects/nothing", "/design/nothing"]) {
      const answer = await she.open(path);
      expect(answer?.status(), path).toBe(404);
      await expect(page.getByText("The page you are looking for does not exist.")).toBeVisible();
      await expectAccessible(page);
      messages.push(await page.getByRole("main").innerText());
    }
    expect(new Set(messages).size).toBe(1);
    await page.getByRole(javaScript ? "button" : "link", { name: "Start Over" }).click();
    await expect(page).toHaveURL("/projects");
  });
});

test("the first HTML has names and links", async ({ page, person, request }) => {
  const she = pageActions(page, true);
  const path = await she.makeProject("Nightfall");
  await she.create("design", "Cover");
  await expect(page).toHaveURL(/\/design\//);
  const design = new URL(page.url()).pathname;
  for (const [address, names] of [
    ["/projects", ["Nightfall", path]],
    [path, ["Nightfall", "Cover", design]],
    [design, ["Nightfall", "Cover"]],
  ] as const) {
    const html = await (await request.get(address, { headers: { Cookie: person.cookieHeader } })).text();
    const [shown = ""] = html.split("<script");
    for (const name of names) expect(shown, `${name} in ${address}`).toContain(name);
  }
});

test("a forged form for another user's project changes nothing", async ({ page, person, stranger, app, request }) => {
  const she = pageActions(page, true);
  const path = await she.makeProject("Nightfall");
  const id = path.split("/").at(-1) ?? "";
  const forms: Record<string, string>[] = [
    { intent: "renameProject", form: "f", id, name: "Mine" },
    { intent: "removeProject", form: "f", id },
  ];
  for (const form of forms) {
    const answer = await request.post("/projects", { form, maxRedirects: 0, headers: { Cookie: stranger.cookieHeader, Origin: app.url } });
    expect(answer.status()).toBe(422);
    expect(await answer.text()).toContain("This item no longer exists, or you can no longer change it.");
  }
  const unknown = await request.post("/projects", {
    form: { intent: "constructor" },
    maxRedirects: 0,
    headers: { Cookie: person.cookieHeader, Origin: app.url },
  });
  expect(unknown.status()).toBe(400);
  expect(await stored(app, person)).toEqual([{ name: "Nightfall", designs: [] }]);
});

test("a double click on Create makes one project", async ({ page, person, app }) => {
  const she = pageActions(page, true);
  await she.open("/projects");
  await page.getByRole("button", { name: "New project" }).first().click();
  await page.getByLabel("Name").fill("Nightfall");
  await page.getByRole("button", { name: "Create project" }).dblclick();
  await expect(page).toHaveURL(/\/projects\/[a-z0-9]{32}$/);
  // A second creation would be stored before this one.
  await she.makeProject("Daybreak");
  await expect.poll(async () => (await stored(app, person)).map(({ name }) => name)).toEqual(["Daybreak", "Nightfall"]);
});
