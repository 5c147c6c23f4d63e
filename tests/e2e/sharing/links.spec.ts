import type { Page } from "@playwright/test";
import sharp from "sharp";
import { api } from "../../../convex/_generated/api.js";
import { withAndWithoutJavaScript, expect, expectAccessible, hydrated, type Person, type RunningApp, test } from "../../harness/test.ts";
import { sidewaysPhotograph } from "../../fixtures/pictures.ts";
import { makeLink } from "../support/links.ts";
import { addPictures, deploymentAs, makeDesign } from "../support/pictures.ts";
import { unzip } from "../../zip.ts";

const UNKNOWN = `/s/${"x".repeat(22)}`;

async function projectOf(app: RunningApp, owner: Person) {
  const { designId } = await makeDesign(app, owner);
  const [imageId = ""] = await addPictures(app, owner, designId, ["fig", "dogs"]);
  const convex = await deploymentAs(app, owner);
  const { projectId } = await convex.query(api.designs.getDesignById, { id: designId });
  return { projectId, designId, imageId };
}

async function createLink(page: Page, { name, password, downloads = false }: { name: string; password?: string; downloads?: boolean }) {
  const form = page.getByRole("region", { name: /^New link/ });
  await form.getByLabel("Name").fill(name);
  if (password !== undefined) await form.getByLabel("Password").fill(password);
  if (downloads) await form.getByLabel("Allow downloads").check();
  await form.getByRole("button", { name: "Create link" }).click();
  return form.getByLabel("Address of the new link").inputValue();
}

const revoke = (page: Page, name: string) => page.getByRole("button", { name: `Revoke link ${name}` }).click();

withAndWithoutJavaScript((javaScript) => {
  const ready = async (page: Page) => (javaScript ? hydrated(page) : undefined);

  test(
    "shows a project to visitors of its link, until it is revoked",
    { tag: ["@shows-project-visitors-link-until-revoked", "@slow"] },
    async ({ page, person, otherBrowser, app }) => {
      test.slow();
      const { projectId, imageId } = await projectOf(app, person);
      await page.goto(`/projects/${projectId}`);
      await ready(page);
      await page.getByRole("button", { name: "More for this project" }).click();
      await page.getByRole("link", { name: "Public links" }).click();
      await expect(page.getByRole("heading", { name: "Public links", level: 1 })).toBeVisible();
      await ready(page);
      const link = await createLink(page, { name: "For the client", downloads: true });
      await expectAccessible(page);

      const visitor = await otherBrowser(undefined, { javaScriptEnabled: javaScript });
      const opened = await visitor.goto(link);
      expect(opened?.headers()["x-robots-tag"]).toBe("noindex");
      expect(opened?.headers()["referrer-policy"]).toBe("same-origin");
      await expect(visitor.locator('meta[name="robots"]')).toHaveAttribute("content", "noindex");
      await expect(visitor.locator('meta[property="og:title"]')).toHaveAttribute("content", "Magazine");
      const picture = await visitor.locator('meta[property="og:image"]').getAttribute("content");
      expect((await visitor.request.get(picture ?? "")).status()).toBe(200);
      await expect(visitor.getByRole("heading", { name: "Magazine", level: 1 })).toBeVisible();
      await ready(visitor);
      await expectAccessible(visitor);
      await visitor.getByRole("link", { name: "Cover" }).click();
      await expect(visitor.getByRole("heading", { name: "Cover", level: 1 })).toBeVisible();
      await expect(visitor.getByRole("img", { name: "fig.jpg" })).toBeVisible();
      await expect(visitor.getByRole("button", { name: /^More for/ })).toHaveCount(0);
      await expectAccessible(visitor);
      await visitor.getByRole("link", { name: "fig.jpg" }).click();
      await expect(visitor.getByRole("heading", { name: "fig.jpg", level: 1 })).toBeVisible();
      await expectAccessible(visitor);
      const download = await visitor.getByRole("link", { name: "Download the original" }).getAttribute("href");
      const file = await visitor.request.get(download ?? "");
      expect(file.headers()["content-disposition"]).toContain('filename="fig.jpg"');
      await visitor.getByRole("link", { name: "Compare" }).click();
      await expect(visitor.getByRole("heading", { name: "Compare", level: 1 })).toBeVisible();
      await expectAccessible(visitor);

      expect((await visitor.request.get(`/images/${imageId}`)).status()).toBe(404);
      expect((await visitor.request.get(`/projects/${projectId}`, { maxRedirects: 0 })).status()).toBe(302);

      await page.goto(page.url());
      await ready(page);
      await expect(page.getByText(/1 visit\b/)).toBeVisible();
      await revoke(page, "For the client");
      await expect(page.getByText("There are no public links to this project.")).toBeVisible();
      if (!javaScript) await visitor.goto(link);
      await expect(visitor.getByRole("heading", { name: "Page not found" })).toBeVisible();
      const gone = await visitor.goto(link);
      const unknown = await visitor.request.get(UNKNOWN);
      expect([gone?.status(), unknown.status()]).toEqual([404, 404]);
      await expect.poll(async () => (await visitor.request.get(picture ?? "")).status(), { timeout: 15_000 }).toBe(404);
    },
  );

  test(
    "demands the password of a link, which can be changed",
    { tag: ["@demands-password-link-can-changed", "@slow"] },
    async ({ page, person, otherBrowser, app }) => {
      test.slow();
      const { projectId, imageId } = await projectOf(app, person);
      await page.goto(`/projects/${projectId}/sharing?item=${imageId}`);
      await ready(page);
      await expect(page.getByRole("heading", { name: "New link to the image “fig.jpg”" })).toBeVisible();
      const link = await createLink(page, { name: "One image", password: "correct horse link" });

      const visitor = await otherBrowser(undefined, { javaScriptEnabled: javaScript });
      await visitor.goto(link);
      await ready(visitor);
      await expect(visitor.getByRole("heading", { name: "Password required" })).toBeVisible();
      await expect(visitor.locator('meta[property^="og:"]')).toHaveCount(0);
      await expect(visitor.getByText("fig.jpg")).toHaveCount(0);
      expect((await visitor.request.get(`${link}/files/${imageId}?w=320`)).status()).toBe(404);
      await expectAccessible(visitor);
      await visitor.getByLabel("Password").fill("wrong");
      await visitor.getByRole("button", { name: "Open link" }).click();
      await expect(visitor.getByText("Wrong password")).toBeVisible();
      await visitor.getByLabel("Password").fill("correct horse link");
      await visitor.getByRole("button", { name: "Open link" }).click();
      await expect(visitor.getByRole("heading", { name: "fig.jpg", level: 1 })).toBeVisible();
      await expect(visitor.locator('meta[property="og:image"]')).toHaveCount(0);
      await expect(visitor.getByRole("link", { name: "Download the original" })).toHaveCount(0);
      await expect(visitor.getByRole("link", { name: "Next image" })).toHaveCount(0);
      const cookies = (await visitor.context().cookies()).filter(({ name }) => name.endsWith("atelier.link"));
      const { pathname } = new URL(link);
      const shown = cookies.map(({ path, httpOnly, sameSite }) => `${path} ${httpOnly} ${sameSite}`);
      expect(shown.toSorted()).toEqual([`${pathname} true Lax`, `${pathname}.data true Lax`]);

      await page.goto(page.url());
      await ready(page);
      await page.getByText("Change link One image").click();
      await page.getByLabel("New password").fill("correct horse other");
      await page.getByRole("button", { name: "Save changes" }).click();
      if (javaScript) await expect(visitor.getByRole("heading", { name: "Password required" })).toBeVisible();
      await visitor.goto(link);
      await expect(visitor.getByRole("heading", { name: "Password required" })).toBeVisible();
    },
  );

  test(
    "saves a link to “Shared with me” for someone signed in",
    { tag: ["@saves-link-shared-with-me", "@slow"] },
    async ({ page, person, stranger, otherBrowser, app }) => {
      test.slow();
      const { projectId, designId } = await projectOf(app, person);
      const link = await makeLink(app, person, projectId);
      const other = await otherBrowser(stranger, { javaScriptEnabled: javaScript });
      await other.goto(`${link}/designs/${designId}`);
      await ready(other);
      await other.getByRole("button", { name: "Save to “Shared with me”" }).click();
      await expect(other.getByRole("link", { name: "Saved to “Shared with me”" })).toBeVisible();
      await expectAccessible(other);
      await other.goto(link);
      await other.getByRole("link", { name: "Saved to “Shared with me”" }).click();
      await expect(other.getByRole("heading", { name: "Saved links" })).toBeVisible();
      await ready(other);
      await expect(other.getByText("Project, saved on")).toBeVisible();
      await expect(other.getByRole("complementary", { name: "Sidebar" }).getByRole("link", { name: "Shared with me" })).toBeVisible();
      await expectAccessible(other);

      await page.goto(`/projects/${projectId}/sharing`);
      await ready(page);
      await page.getByText("Change link A link").click();
      await page.getByLabel("Password", { exact: true }).last().fill("correct horse link");
      await page.getByRole("button", { name: "Save changes" }).click();
      if (!javaScript) await other.reload();
      await expect(other.getByText("The link's password was changed.")).toBeVisible();
      await expect(other.getByRole("main").getByText("Magazine")).toHaveCount(0);
      await other.getByRole("link", { name: "Saved link" }).click();
      await ready(other);
      await expect(other.getByRole("button", { name: /^Save/ })).toHaveCount(0);
      await other.getByLabel("Password").fill("correct horse link");
      await other.getByRole("button", { name: "Open link" }).click();
      await expect(other.getByRole("heading", { name: "Magazine", level: 1 })).toBeVisible();
      await ready(other);
      await other.getByRole("button", { name: "Save to “Shared with me”" }).click();
      await other.getByRole("link", { name: "Saved to “Shared with me”" }).click();
      await expect(other.getByRole("main").getByRole("link", { name: "Magazine" })).toBeVisible();
      await ready(other);

      await page.goto(page.url());
      await ready(page);
      await revoke(page, "A link");
      await expect(page.getByText("There are no public links to this project.")).toBeVisible();
      if (!javaScript) await other.reload();
      await expect(other.getByRole("heading", { name: "Saved links" })).toHaveCount(0);

      const another = await makeLink(app, person, projectId);
      await other.goto(another);
      await ready(other);
      await other.getByRole("button", { name: "Save to “Shared with me”" }).click();
      await other.getByRole("link", { name: "Saved to “Shared with me”" }).click();
      await ready(other);
      await other.getByRole("button", { name: "Remove Magazine" }).click();
      await expect(other.getByRole("heading", { name: "Saved links" })).toHaveCount(0);
      await page.context().clearCookies();
      await page.goto(another);
      await expect(page.getByRole("heading", { name: "Magazine", level: 1 })).toBeVisible();
      await expect(page.getByRole("button", { name: /^Save/ })).toHaveCount(0);
    },
  );
});

test(
  "downloads of a link have no camera data or location, and need its permission",
  { tag: "@downloads-link-have-no-location" },
  async ({ person, app }) => {
    const { designId } = await makeDesign(app, person);
    const [imageId = ""] = await addPictures(app, person, designId, [await sidewaysPhotograph()]);
    const convex = await deploymentAs(app, person);
    const { projectId } = await convex.query(api.designs.getDesignById, { id: designId });
    const open = await makeLink(app, person, projectId, { downloads: true });
    const closed = await makeLink(app, person, projectId);
    const request = (path: string) => fetch(app.url + path, { headers: { Cookie: person.cookieHeader } });
    const exifOf = async (response: Response) => (await sharp(await response.arrayBuffer()).metadata()).exif?.toString("latin1") ?? "";
    expect(await exifOf(await request(`/images/${imageId}?original=1`))).toContain("Lumen");
    const file = await request(`${open}/files/${imageId}?original=1`);
    expect(file.headers.get("Content-Disposition")).toContain('filename="IMG_2041.jpg"');
    expect(file.headers.get("Referrer-Policy")).toBe("same-origin");
    expect(await exifOf(file)).not.toMatch(/Lumen|Pocket/);
    const archived = [`${projectId}.zip`, `${designId}.zip`].map(async (each) => {
      const archive = await request(`${open}/download/${each}`);
      expect(archive.headers.get("Content-Type")).toBe("application/zip");
      return [...unzip(new Uint8Array(await archive.arrayBuffer()))];
    });
    for (const [[path, picture] = ["", new Uint8Array()], ...others] of await Promise.all(archived)) {
      expect([path.replace("Cover/", ""), others]).toEqual(["IMG_2041.jpg", []]);
      expect(await exifOf(new Response(new Uint8Array(picture)))).not.toMatch(/Lumen|Pocket/);
    }
    expect((await request(`${closed}/download/${projectId}.zip`)).status).toBe(404);
    const ofDesign = await makeLink(app, person, projectId, { item: designId, downloads: true });
    expect((await request(`${ofDesign}/download/${projectId}.zip`)).status).toBe(404);
    expect((await request(`${closed}/files/${imageId}?original=1`)).status).toBe(404);
    expect((await request(`${closed}/files/${imageId}?w=own`)).status).toBe(200);
  },
);
