import { readFile } from "node:fs/promises";
import type { Download, Page } from "@playwright/test";
import { api } from "../../../convex/_generated/api.js";
import { withAndWithoutJavaScript, expect, expectAccessible, type Person, type RunningApp, test } from "../../harness/test.ts";
import { unzip } from "../../zip.ts";
import { pageActions } from "../support/page-actions.ts";
import { addPictures, addVersion, chosen, deploymentAs, imagesIn, makeDesign } from "../support/pictures.ts";

async function seed(app: RunningApp, person: Person) {
  const convex = await deploymentAs(app, person);
  const { designId, path } = await makeDesign(app, person, "Cover / ü");
  const { projectId } = await convex.query(api.designs.getDesignById, { id: designId });
  await convex.mutation(api.designs.create, { projectId, name: "Back" });
  const pictures = [await chosen("clock"), await chosen("fig"), { ...(await chosen("brushes")), name: "FIG.jpg" }];
  const ids = await addPictures(app, person, designId, pictures);
  const [clock, fig, brushes] = pictures.map(({ buffer }) => buffer);
  return { convex, designId, projectId, path, ids, files: { "clock.webp": clock, "fig.jpg": fig, "FIG (2).jpg": brushes } };
}

const contents = async (download: Download) => Object.fromEntries(unzip(await readFile(await download.path())));

async function saved(page: Page, click: () => Promise<void>) {
  const [download] = await Promise.all([page.waitForEvent("download"), click()]);
  return { name: download.suggestedFilename(), files: await contents(download) };
}

withAndWithoutJavaScript((javaScript) => {
  test("downloads a design and a project, from their pages and from their cards", { tag: "@slow" }, async ({ page, person, app }) => {
    const { files, projectId, path } = await seed(app, person);
    const inFolder = Object.fromEntries(Object.entries(files).map(([name, bytes]) => [`Cover - ü/${name}`, bytes]));
    const project = { name: "Magazine.zip", files: { "Back/": Buffer.alloc(0), ...inFolder } };
    const design = { name: "Cover - ü.zip", files };
    const she = pageActions(page, javaScript);
    const fromMenu = (name: string) => async () => {
      await page.getByRole("button", { name: `More for ${name}` }).click();
      await page.getByRole("group", { name }).getByRole("link", { name: "Download", exact: true }).click();
    };

    await she.open("/projects");
    expect(await saved(page, fromMenu("Magazine"))).toEqual(project);
    await expectAccessible(page);
    await she.open(`/projects/${projectId}`);
    expect(await saved(page, () => page.getByRole("link", { name: "Download project" }).click())).toEqual(project);
    expect(await saved(page, fromMenu("Cover / ü"))).toEqual(design);
    await page.getByRole("button", { name: "More for Back" }).click();
    const menu = page.getByRole("group", { name: "Back" });
    await expect(menu.getByRole("link")).toHaveText([
      "Rename",
      "Review status…",
      "Request review…",
      "Public links",
      "Move to…",
      "Open in new tab",
      ...(javaScript ? [] : ["Close"]),
    ]);
    await page.keyboard.press("Escape");
    await she.open(path);
    expect(await saved(page, () => page.getByRole("link", { name: "Download design" }).click())).toEqual(design);
    await expect(page).toHaveURL(path);
  });
});

test("contains the items and names of the moment it is read", async ({ person, app, request }) => {
  const { convex, designId, projectId, ids, files } = await seed(app, person);
  const [clock = "", fig = "", brushes = ""] = ids;
  await convex.mutation(api.designImages.remove, { id: fig });
  await convex.mutation(api.designImages.rename, { id: clock, name: "../../etc/Time" });
  const get = async (path: string) => (await request.get(path, { headers: { Cookie: person.cookieHeader } })).body();
  await addVersion(app, person, designId, brushes, "bank");
  const expected = { "-..-etc-Time.webp": files["clock.webp"], "FIG.jpg.png": (await chosen("bank")).buffer };
  expect(Object.fromEntries(unzip(await get(`/download/designs/${designId}.zip`)))).toEqual(expected);
  expect(await imagesIn(app, person, designId)).toHaveLength(2);

  await convex.mutation(api.designs.remove, { id: designId });
  expect([...unzip(await get(`/download/projects/${projectId}.zip`)).keys()]).toEqual(["Back/"]);
});

test("answers another user's archive like a missing one, signed in or not", async ({ person, stranger, app, request }) => {
  const { designId, projectId } = await seed(app, person);
  const addresses = (design: string, project: string) => [`/download/designs/${design}.zip`, `/download/projects/${project}.zip`];
  const messages = new Set<string>();
  const [, foreignDesign = "", foreignProject = ""] = ["", ...addresses(designId, projectId)];
  for (const path of [
    foreignDesign,
    foreignProject,
    ...addresses(projectId, designId),
    ...addresses("nothing", "nothing"),
    ...addresses("", ""),
  ]) {
    const answer = await request.get(path, { headers: { Cookie: stranger.cookieHeader } });
    expect(answer.status(), path).toBe(404);
    expect(answer.headers()["content-type"], path).not.toContain("zip");
    expect(answer.headers()["content-disposition"], path).toBeUndefined();
    messages.add(await answer.text());
  }
  expect([...messages]).toEqual(["The page you are looking for does not exist.\n"]);

  const signedOut = await request.get(foreignDesign, { maxRedirects: 0 });
  expect(signedOut.status()).toBe(302);
  expect(signedOut.headers()["location"]).toBe(`/sign-in?redirectTo=${encodeURIComponent(foreignDesign)}`);
  const head = await request.head(foreignDesign, { headers: { Cookie: person.cookieHeader } });
  expect(head.status()).toBe(200);
  expect(head.headers()).toMatchObject({ "content-type": "application/zip", "cache-control": "private, no-store" });
});
