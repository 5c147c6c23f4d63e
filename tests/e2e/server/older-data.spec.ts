import { copyFile, cp, mkdtemp, readFile, rm, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { z } from "zod";
import { signingKeySchema } from "../../../server/deployment/secrets.ts";
import { picturePath } from "../../fixtures/pictures.ts";
import { mailboxOfWorker, socialOfWorker } from "../../harness/services/servers.ts";
import type { Mailbox } from "../../harness/services/mailbox.ts";
import type { SocialServer } from "../../harness/services/oidc.ts";
import { startStandalone } from "../../harness/setup-convex.ts";
import { compareStored } from "../../harness/stored.ts";
import { expect, hydrated, type RunningApp, test as base } from "../../harness/test.ts";
import { expectAccountsContinue } from "../../older-data/check-accounts.ts";
import {
  type OlderData,
  olderVersions,
  readOlderData,
  RESUMED_FILE_TIME,
  TRASHED_PROJECT,
  unpackInto,
} from "../../older-data/older-data.ts";

/** Stored names may change only with a migration. `npm run older-data` records the data of a version (tests/README.md). */
const test = base.extend<{ dataDir: string }, { social: SocialServer; mailbox: Mailbox }>({
  social: socialOfWorker,
  mailbox: mailboxOfWorker,
  dataDir: async ({}, use) => {
    const dir = await mkdtemp(join(tmpdir(), "atelier-older-"));
    await use(dir);
    await rm(dir, { recursive: true });
  },
});

const secretsSchema = z.object({ secret: z.string(), signingKey: signingKeySchema, engineAdminKey: z.string() });

for (const version of olderVersions()) {
  test(`continues the data of ${version}`, { tag: ["@older-data", "@slow"] }, async ({ launch, page, dataDir, social, mailbox }) => {
    test.slow();
    const older = await readOlderData(version);
    await unpackInto(dataDir, older.files);
    const app = await launch({ ...social.settings, SMTP_URL: mailbox.url, DATA_DIR: dataDir });
    await expectAccountsContinue({ app, social }, older.accounts);
    await expectWorkContinues(page, app, older);
    await expect.poll(async () => (await compareStored({ ...app, dataDir })).images).toBe(2 * older.images + 1);
    await app.stop();
  });

  test(
    `continues the data of ${version} in a remote deployment`,
    { tag: ["@older-data-remote", "@slow"] },
    async ({ launch, page, dataDir, social, mailbox }) => {
      test.slow();
      const older = await readOlderData(version);
      await unpackInto(dataDir, older.files);
      const secrets = secretsSchema.parse(JSON.parse(await readFile(join(dataDir, "secrets.json"), "utf8")));
      const { target, setUp, close } = await startStandalone({ dir: join(dataDir, "convex"), adminKey: secrets.engineAdminKey });
      try {
        const settings = {
          CONVEX_URL: target.url,
          BETTER_AUTH_SECRET: secrets.secret,
          TOKEN_SIGNING_KEY: JSON.stringify(secrets.signingKey),
        };
        await setUp([], { ...settings, CONVEX_DEPLOY_KEY: target.adminKey });
        const appDir = join(dataDir, "app");
        await cp(join(dataDir, "parts"), join(appDir, "parts"), { recursive: true });
        const app = await launch({ ...settings, ...social.settings, SMTP_URL: mailbox.url, DATA_DIR: appDir });
        await expectAccountsContinue({ app, social }, older.accounts);
        await expectWorkContinues(page, app, older);
        const deployment = { url: target.url, forBrowsers: target.url };
        await expect.poll(async () => (await compareStored({ ...app, dataDir, deployment })).images).toBe(2 * older.images + 1);
        await page.goto("about:blank");
        await app.stop();
      } finally {
        await close();
      }
    },
  );
}

/** The open page resumes its upload, the trash restores, and the unfinished copy and purge are finished. */
async function expectWorkContinues(page: Page, app: RunningApp, older: OlderData): Promise<void> {
  const now = Date.now();
  const interruptedUploads = (value: string) => JSON.stringify(JSON.parse(value).map((upload: object) => ({ ...upload, at: now })));
  const context = page.context();
  await context.addCookies(older.profile.cookies.map((cookie) => ({ ...cookie, expires: -1 })));
  const stored = older.profile.origins.flatMap(({ localStorage }) =>
    localStorage.map(({ name, value }) => [name, name === `uploads:${older.userId}` ? interruptedUploads(value) : value] as const),
  );
  await page.goto(`${app.url}/healthz`);
  await page.evaluate((items) => items.forEach(([name, value]) => localStorage.setItem(name, value)), stored);

  await page.goto(`${app.url}/design/${older.designId}`);
  await hydrated(page);
  const tray = page.getByRole("region", { name: "Uploads" });
  await expect(tray).toContainText("path.jpg");
  const folder = await mkdtemp(join(tmpdir(), "atelier-resumed-"));
  const file = join(folder, "path.jpg");
  await copyFile(picturePath("path"), file);
  await utimes(file, RESUMED_FILE_TIME, RESUMED_FILE_TIME);
  const offsets: number[] = [];
  page.on("request", (request) => request.method() === "PATCH" && offsets.push(Number(request.headers()["upload-offset"])));
  await page.getByLabel("Add images").setInputFiles(file);
  await expect(tray.getByRole("heading")).toHaveText("1 image added");
  expect(offsets[0]).toBeGreaterThan(0);
  await rm(folder, { recursive: true });

  await page.goto(`${app.url}/projects`);
  const projects = page.getByRole("list", { name: "Projects" }).getByRole("listitem");
  await expect(projects.filter({ hasText: "(copy)" })).toContainText(`${older.images} images`);
  await page.goto(`${app.url}/trash`);
  await hydrated(page);
  await expect(page.getByRole("main").getByText("Magazine")).toHaveCount(0);
  const trashed = page.getByRole("main").getByRole("listitem").filter({ hasText: TRASHED_PROJECT });
  await trashed.getByRole("button", { name: /^Restore/ }).click();
  await expect(trashed).toHaveCount(0);
  await page.goto(`${app.url}/projects`);
  await expect(projects.filter({ hasText: TRASHED_PROJECT })).toHaveCount(1);
}
