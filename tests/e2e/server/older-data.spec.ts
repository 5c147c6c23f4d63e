import { copyFile, mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readOlderData, RESUMED_FILE_TIME, unpack } from "../../fixtures/older-data.ts";
import { picturePath } from "../../fixtures/pictures.ts";
import { compareStored } from "../../harness/stored.ts";
import { expect, hydrated, test } from "../../harness/test.ts";

/** Stored names may change only with a migration. After a merged commit, `npm run older-data -- FOLDER` records its data anew. */
test(
  "finishes the purge, copy and upload of an earlier version",
  { tag: ["@finishes-purge-copy-upload-earlier-version", "@slow"] },
  async ({ launch, browser }) => {
    test.slow();
    const older = await readOlderData();
    const folder = await mkdtemp(join(tmpdir(), "atelier-older-"));
    const dataDir = join(folder, "data");
    for (const [path, packed] of Object.entries(older.files)) {
      await mkdir(dirname(join(dataDir, path)), { recursive: true });
      await writeFile(join(dataDir, path), unpack(packed), { mode: 0o600 });
    }
    const app = await launch({ DATA_DIR: dataDir });

    const now = Date.now();
    const interruptedUploads = (value: string) => JSON.stringify(JSON.parse(value).map((upload: object) => ({ ...upload, at: now })));
    const context = await browser.newContext({
      storageState: {
        cookies: older.profile.cookies.map((cookie) => ({ ...cookie, expires: -1 })),
        origins: older.profile.origins.map(({ localStorage }) => ({
          origin: app.url,
          localStorage: localStorage.map(({ name, value }) => ({
            name,
            value: name === `uploads:${older.userId}` ? interruptedUploads(value) : value,
          })),
        })),
      },
    });
    const page = await context.newPage();

    await page.goto(`${app.url}/design/${older.designId}`);
    await hydrated(page);
    const tray = page.getByRole("region", { name: "Uploads" });
    await expect(tray).toContainText("path.jpg");
    const file = join(folder, "path.jpg");
    await copyFile(picturePath("path"), file);
    await utimes(file, RESUMED_FILE_TIME, RESUMED_FILE_TIME);
    const offsets: number[] = [];
    page.on("request", (request) => request.method() === "PATCH" && offsets.push(Number(request.headers()["upload-offset"])));
    await page.getByLabel("Add images").setInputFiles(file);
    await expect(tray.getByRole("heading")).toHaveText("1 image added");
    expect(offsets[0]).toBeGreaterThan(0);

    await page.goto(`${app.url}/projects`);
    const projects = page.getByRole("list", { name: "Projects" }).getByRole("listitem");
    await expect(projects.filter({ hasText: "(copy)" })).toContainText(`${older.images} images`);
    await page.goto(`${app.url}/trash`);
    await expect(page.getByRole("main").getByText("Magazine")).toHaveCount(0);
    await expect.poll(async () => (await compareStored({ ...app, dataDir })).images).toBe(2 * older.images + 1);
    await context.close();
    await app.stop();
    await rm(folder, { recursive: true });
  },
);
