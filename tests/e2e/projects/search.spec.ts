import type { Page } from "@playwright/test";
import { api } from "../../../convex/_generated/api.js";
import { withAndWithoutJavaScript, expect, expectAccessible, hydrated, type Person, type RunningApp, test } from "../../harness/test.ts";
import { pageActions } from "../support/page-actions.ts";
import { addPictures, chosen, deploymentAs } from "../support/pictures.ts";

async function seed(app: RunningApp, person: Person) {
  const convex = await deploymentAs(app, person);
  const projectId = await convex.mutation(api.projects.create, { name: "Clockwork" });
  const designId = await convex.mutation(api.designs.create, { projectId, name: "Clock tower" });
  const [imageId = ""] = await addPictures(app, person, designId, ["clock"]);
  return { convex, projectId, designId, imageId };
}

const found = (page: Page) => page.getByRole("main").getByRole("listitem");
const expectFound = (page: Page, texts: (string | RegExp)[]) => expect(found(page)).toHaveText(texts, { useInnerText: true });
const ALL = ["Clockwork", "Clock tower\nClockwork", "clock.webp\nClockwork / Clock tower"];
const field = (page: Page) => page.getByRole("combobox", { name: "Search terms" });

withAndWithoutJavaScript((javaScript) => {
  test("finds the user's own items from every page and links to them", { tag: "@slow" }, async ({ page, person, stranger, app }) => {
    const { designId, imageId } = await seed(app, person);
    const foreign = await deploymentAs(app, stranger);
    await foreign.mutation(api.projects.create, { name: "Clock of a stranger" });
    const she = pageActions(page, javaScript);
    await she.open("/projects");
    const sidebar = page.getByRole("searchbox", { name: "Search everything" });
    await sidebar.fill("clock");
    await sidebar.press("Enter");
    await expect(page).toHaveURL("/search?q=clock");
    await expect(page).toHaveTitle("clock · Search · Atelier");
    await expect(page.getByRole("status").filter({ hasText: "1 project, 1 design and 1 image." })).toBeVisible();
    await expectFound(page, ALL);
    await expectAccessible(page);

    await she.ready();
    await field(page).fill("tower");
    await page.getByRole("main").getByRole("button", { name: "Search" }).click();
    await expect(page).toHaveURL("/search?q=tower");
    await expectFound(page, ALL.slice(1, 2));
    await page.getByRole("link", { name: "Clock tower" }).click();
    await expect(page).toHaveURL(`/design/${designId}`);

    await she.open("/search?q=WEBP");
    await page.getByRole("main").getByRole("link").click();
    await expect(page).toHaveURL(`/design/${designId}/images/${imageId}`);
  });

  test("marks matches, suggests names, and filters by project and orientation", { tag: "@search-looks" }, async ({ page, person, app }) => {
    const { convex, projectId, designId } = await seed(app, person);
    await convex.mutation(api.projects.create, { name: "Clock of others" });
    await addPictures(app, person, designId, [{ ...(await chosen("bank")), name: "tall clock.png" }]);
    const she = pageActions(page, javaScript);
    await she.open("/search?q=cloc&orientation=landscape");
    await expect(page.locator("mark").first()).toHaveText(/cloc/i);
    await expect(page.getByLabel("Orientation")).toHaveValue("landscape");
    await expectAccessible(page);
    await page.getByLabel("Project", { exact: true }).selectOption("Clockwork");
    await page.getByLabel("Orientation").selectOption("");
    await page.getByRole("main").getByRole("button", { name: "Search" }).click();
    await expect(page).toHaveURL(new RegExp(`q=cloc&project=${projectId}`));
    await expectFound(page, ["Clock tower\nClockwork", /clock/, /clock/]);
    await expect(page.locator("#search-suggestions option").first()).toHaveAttribute("value", /clock/i);
  });

  test("finds by description, tags and filters", { tag: "@slow" }, async ({ page, person, app }) => {
    const { convex, projectId, designId, imageId } = await seed(app, person);
    await convex.mutation(api.projects.setDescription, { id: projectId, description: "Wheels and springs" });
    await convex.mutation(api.designImages.setCaption, { id: imageId, caption: "The great wheel" });
    const she = pageActions(page, javaScript);
    await she.open(`/design/${designId}/images/${imageId}`);
    await expect(page.getByRole("img", { name: "The great wheel" })).toBeVisible();
    await she.tag("Brass, night");
    await she.openDetails();
    await expect(page.getByRole("region", { name: "Tags" }).getByRole("listitem")).toHaveText(["Brass", "night"]);
    await expectAccessible(page);
    await she.tag("x".repeat(41));
    await she.openDetails();
    await expect(page.getByText("A tag can have at most 40 characters.")).toBeVisible();
    await expect(page.getByRole("combobox", { name: "Add a tag" })).toHaveValue("x".repeat(41));
    await expectAccessible(page);

    await she.open(`/design/${designId}`);
    await she.tag("BRASS");
    await page.getByRole("link", { name: "Brass", exact: true }).click();
    await expect(page).toHaveURL("/search?tag=Brass");
    await expect(page).toHaveTitle("tagged “Brass” · Search · Atelier");
    const [, TOWER, CLOCK] = ["", "Clock tower\nClockwork", "clock.webp\nClockwork / Clock tower\nThe great wheel"];
    await expectFound(page, [TOWER, CLOCK]);
    await expectAccessible(page);

    await she.ready();
    await page.getByLabel("Kind").selectOption("Images");
    await page.getByLabel("Image type").selectOption("WebP");
    await page.getByLabel("Added from").fill("2020-01-01");
    await field(page).fill("gre");
    await page.getByRole("main").getByRole("button", { name: "Search" }).click();
    await expect(page).toHaveURL(/\?q=gre&tag=Brass&kind=image&type=image%2Fwebp&from=2020-01-01/);
    await expectFound(page, [CLOCK]);
    await she.ready();
    await page.getByLabel("Added until").fill("2020-01-02");
    await page.getByRole("main").getByRole("button", { name: "Search" }).click();
    await expect(page.getByText("No results match all filters.")).toBeVisible();
    await expectAccessible(page);
    await page.getByRole("link", { name: "Clear filters" }).click();
    await expect(page).toHaveURL("/search?q=gre");
    await expectFound(page, [CLOCK]);

    await she.open("/search?q=springs");
    await expectFound(page, ["Clockwork\nWheels and springs"]);
    await she.open(`/design/${designId}`);
    await she.untag("Brass");
    await expect(page.getByRole("link", { name: "Brass", exact: true })).toHaveCount(0);
    await expect.poll(async () => (await convex.query(api.search.find, { text: "", tag: "brass", kind: "design" })).designs).toEqual([]);
    await she.open("/search?tag=brass&kind=design");
    await expect(page.getByText("No results match all filters.")).toBeVisible();

    for (let each = 0; each < 51; each++) await convex.mutation(api.designs.create, { projectId, name: `Cog ${each}` });
    await she.open("/search?q=cog");
    await page.getByRole("link", { name: "More designs" }).click();
    await expect(page.getByText("50 designs, and more.")).toBeVisible();
    await page.getByRole("link", { name: "Next page" }).click();
    await expect(page.getByText("1 design.", { exact: true })).toBeVisible();
    await expect(found(page)).toHaveCount(1);
  });

  test("reports no results and requests a search text", async ({ page, person }) => {
    expect(person.id).not.toBe("");
    const she = pageActions(page, javaScript);
    await she.open(`/search?q=${encodeURIComponent('<b>"nothing" & all')}`);
    await expect(page.getByText('No results for “<b>"nothing" & all”.')).toBeVisible();
    await expect(field(page)).toHaveValue('<b>"nothing" & all');
    await expectAccessible(page);
    await she.open("/search");
    await expect(page.getByText("Search the names, descriptions")).toBeVisible();
    await she.open(`/search?q=${"long ".repeat(300)}`);
    await expect(page.getByText("No results for")).toBeVisible();
  });
});

test("finds names in every script while typing", { tag: "@finds-names-every-script" }, async ({ page, person, app }) => {
  const convex = await deploymentAs(app, person);
  const texts = {
    "Café Crème": "creme",
    "İstanbul İçin": "istanbul",
    "Größe und Straße": "STRASSE",
    "Ωμέγα Σχέδιο": "σχεδιο",
    "Эскиз ёлки": "елки",
    新しいデザイン案: "デザイン",
    首页设计稿: "设计",
    "홈페이지 디자인": "페이지",
    ไทยดีไซน์: "ดีไซน์",
    "تصميم الصفحة": "صفحة",
    "हिन्दी पृष्ठ": "पृष्ठ",
    iPhone15ProMax: "promax",
    "O’Brien’s logo": "obrien",
    "e-mail template": "email",
    "🎨 Palette": "🎨",
    Dandelions: "lion",
    Peninsula: "penisula",
  };
  await Promise.all(Object.keys(texts).map((name) => convex.mutation(api.projects.create, { name }, { skipQueue: true })));
  await pageActions(page, true).open("/search");
  for (const [name, text] of Object.entries(texts)) {
    await field(page).fill(text);
    await expectFound(page, [name]);
  }
});

test("matches while typing, live, and updates the address", async ({ page, person, app }) => {
  const { convex, projectId, designId } = await seed(app, person);
  const she = pageActions(page, true);
  await she.open("/search");
  const loads: string[] = [];
  page.on("request", (request) => {
    if (new URL(request.url()).pathname.endsWith(".data")) loads.push(request.url());
  });
  await field(page).pressSequentially("clo");
  await expectFound(page, ALL);
  await expect(page).toHaveURL("/search?q=clo");
  await expect(page).toHaveTitle("clo · Search · Atelier");
  expect(loads).toEqual([]);

  await convex.mutation(api.designs.rename, { id: designId, name: "Steeple" });
  await expectFound(page, ["Clockwork", "clock.webp\nClockwork / Steeple"]);
  await field(page).fill("steep");
  await expectFound(page, ["Steeple\nClockwork"]);
  await convex.mutation(api.projects.remove, { id: projectId });
  await expect(page.getByText("No results for “steep”.")).toBeVisible();

  await page.reload();
  await hydrated(page);
  await expect(field(page)).toHaveValue("steep");
  await page.getByRole("link", { name: "Projects", exact: true }).click();
  await expect(page).toHaveURL("/projects");
  await expect(page).toHaveTitle("Projects · Atelier");
  await page.goBack();
  await expect(field(page)).toHaveValue("steep");
  await expect(page).toHaveTitle("steep · Search · Atelier");
});

test("never replaces a newer answer by an older one", async ({ page, person, app }) => {
  await seed(app, person);
  const she = pageActions(page, true);
  await she.open("/search");
  await field(page).fill("tower");
  await expectFound(page, ALL.slice(1, 2));
  await field(page).pressSequentially("x");
  await field(page).fill("webp");
  await expectFound(page, ALL.slice(2));
  await field(page).fill("");
  await expect(page.getByText("Search the names, descriptions")).toBeVisible();
  await expect(found(page)).toHaveCount(0);
});

test("opens the search in one step on a narrow screen and with a collapsed sidebar", async ({ page, person }) => {
  expect(person.id).not.toBe("");
  const she = pageActions(page, true);
  await she.open("/projects");
  await page.keyboard.press("Control+b");
  await page.getByRole("link", { name: "Search" }).click();
  await expect(page).toHaveURL("/search");
  await expect(field(page)).toBeFocused();
  await expectAccessible(page);

  await page.setViewportSize({ width: 390, height: 800 });
  await she.open("/projects");
  await page.getByRole("banner").getByRole("link", { name: "Search" }).click();
  await expect(page).toHaveURL("/search");
  await expectAccessible(page);
});

test("requires a session", async ({ request }) => {
  const answer = await request.get("/search?q=clock", { maxRedirects: 0 });
  expect(answer.status()).toBe(302);
  expect(answer.headers()["location"]).toBe(`/sign-in?redirectTo=${encodeURIComponent("/search?q=clock")}`);
});

test("redirects from long searches with less than 4 KiB of headers", async ({ page, request, person, app }) => {
  await seed(app, person);
  const long = `/search?q=${encodeURIComponent("漢".repeat(800))}&tag=`;
  for (const [context, path] of [
    [request, "/sign-in?redirectTo=%2Fsearch"],
    [page.request, "/search"],
  ] as const) {
    const answer = await context.get(long, { maxRedirects: 0 });
    expect(answer.headers()["location"]).toBe(path);
    const size = answer.headersArray().reduce((sum, { name, value }) => sum + name.length + value.length + 4, 0);
    expect(size).toBeLessThan(4 * 1024);
  }
});

test("lists shortcuts on '?' and from the user's menu", async ({ page, person, otherBrowser }) => {
  const she = pageActions(page, true);
  await she.open("/search");
  await field(page).pressSequentially("?");
  await expect(field(page)).toHaveValue("?");
  await expect(page).toHaveURL(/\/search/);
  await she.open("/projects");
  await page.keyboard.press("?");
  await expect(page).toHaveURL("/shortcuts");
  await expect(page.getByRole("heading", { name: "Keyboard shortcuts" })).toBeVisible();
  await expectAccessible(page);

  await page.getByRole("button", { name: "Disable single-key shortcuts" }).click();
  await expect(page.getByRole("button", { name: "Enable single-key shortcuts" })).toBeVisible();
  await she.open("/projects");
  await page.keyboard.press("?");
  await page.keyboard.press("Control+b");
  await expect(page.getByRole("button", { name: "Expand the sidebar" })).toBeVisible();
  await expect(page).toHaveURL("/projects");

  const plain = await otherBrowser(person, { javaScriptEnabled: false });
  await plain.goto("/projects");
  await plain.getByRole("button", { name: person.email }).click();
  await plain.getByRole("link", { name: "Keyboard shortcuts" }).click();
  await expect(plain.getByText("Collapse or expand the sidebar")).toBeVisible();
});
