import { writeFile } from "node:fs/promises";
import { downloadZip } from "client-zip";
import { callFunction } from "../../../server/moving/admin-calls.ts";
import { importSnapshot } from "../../../server/moving/snapshot-transfer.ts";
import { VERSION } from "../../../server/version.ts";
import { embeddedTarget } from "../../harness/move.ts";
import { mailboxOfWorker } from "../../harness/services/servers.ts";
import type { Mailbox } from "../../harness/services/mailbox.ts";
import { storeOf } from "../../harness/store.ts";
import {
  withAndWithoutJavaScript,
  expect,
  expectAccessible,
  hydrated,
  type Person,
  type RunningApp,
  signUp,
  test as base,
} from "../../harness/test.ts";
import { makeLink } from "../support/links.ts";
import { drawn, NARROW, outside, showTheme, WIDE } from "../support/measures.ts";
import { addPictures, makeDesign } from "../support/pictures.ts";

const test = base.extend<{ admin: Person }, { mailbox: Mailbox }>({
  mailbox: mailboxOfWorker,
  admin: async ({ app, person }, use) => {
    await (await storeOf(app)).setAdministrator(person.id, true);
    await use(person);
  },
});

test.use({ allowedErrors: [/status of 40[034]/] });

withAndWithoutJavaScript((javaScript) => {
  test("shows health with charts, and settings without secrets", { tag: "@administration-health" }, async ({ page, admin }) => {
    await page.goto("/admin");
    await page.getByRole("link", { name: "Health" }).click();
    if (javaScript) await hydrated(page);
    await expect(page.getByText("Everything works.")).toBeVisible();
    await expect(page.getByText("Responds")).toBeVisible();
    await expect(page.getByText("No problems detected.")).toBeVisible();
    await expect(page.getByText("Scheduled backups are not set up.")).toBeVisible();
    await expect(page.getByText(`Atelier version ${VERSION}`)).toBeVisible();
    const requests = page.getByRole("img", { name: /^Requests in five minutes of the last 24 hours\. Now [1-9][\d,]*, highest/ });
    await expect(requests).toBeVisible();
    await expect(page.getByRole("img", { name: /^Memory of the last 24 hours\. Now [\d.]+ (?:MB|GB), highest/ })).toBeVisible();
    await expectAccessible(page);

    await page.getByRole("link", { name: "Settings", exact: true }).click();
    if (javaScript) await hydrated(page);
    const secret = page.getByRole("list", { name: "Settings" }).getByRole("listitem").filter({ hasText: "BETTER_AUTH_SECRET" });
    await expect(secret).toContainText("Hidden");
    await expect(page.getByRole("list", { name: "Defaults" }).getByRole("listitem").filter({ hasText: "BACKUP_KEEP" })).toContainText(
      "7d 4w 12m",
    );
    await expectAccessible(page);
    expect(admin.id).not.toBe("");
  });

  test(
    "shows storage per person, and the largest projects without names",
    { tag: "@administration-storage-page" },
    async ({ app, page, admin }) => {
      const grace = await signUp(app.url, "Grace Hopper");
      const { designId, projectId } = await makeDesign(app, grace);
      await addPictures(app, grace, designId, ["fig", "bank"]);
      await page.goto("/admin");
      await page.getByRole("link", { name: "Storage" }).click();
      if (javaScript) await hydrated(page);
      const row = page
        .getByRole("list", { name: "Storage per person" })
        .getByRole("listitem")
        .filter({ has: page.locator(`a[href$="${grace.id}"]`) });
      await expect(row).toContainText("1 project, 1 design, 2 images");
      await expect(row).toContainText("of 10 GB");
      const project = page.getByRole("list", { name: "Largest projects" }).getByRole("listitem").filter({ hasText: projectId });
      await expect(project).toContainText(/B in 2 images, 1 design/);
      await expect(page.getByText("Magazine")).toHaveCount(0);
      await expect(page.getByText("Free disk space")).toBeVisible();
      await expectAccessible(page);
      await page.getByRole("link", { name: "Jobs" }).click();
      if (javaScript) await hydrated(page);
      await expect(page.getByRole("heading", { name: "Failed jobs" })).toBeVisible();
      await expectAccessible(page);
      expect(admin.id).not.toBe("");
    },
  );

  test(
    "sends a test email and a verification, and lists deliveries",
    { tag: ["@administration-test-mail", "@slow"] },
    async ({ launch, mailbox, browser }) => {
      test.slow();
      const app = await launch({
        SMTP_URL: mailbox.url,
        MAIL_FROM: "Atelier <atelier@example.com>",
        OIDC_ACME_ISSUER: "http://127.0.0.1:9",
        OIDC_ACME_CLIENT_ID: "a",
        OIDC_ACME_CLIENT_SECRET: "b",
      });
      const admin = await signUp(app.url);
      await (await storeOf(app)).setAdministrator(admin.id, true);
      const context = await browser.newContext({ baseURL: app.url, javaScriptEnabled: javaScript });
      await context.addCookies(admin.cookies);
      const page = await context.newPage();
      await page.goto(`/admin/mail`);
      if (javaScript) await hydrated(page);
      await expect(page.getByText("Messages are sent from Atelier <atelier@example.com>.")).toBeVisible();
      await page.getByRole("button", { name: "Send test email" }).click();
      await expect.poll(() => mailbox.for(admin.email).filter(({ subject }) => subject.startsWith("Test email")).length).toBe(1);
      const delivery = page.getByRole("list", { name: "Deliveries" }).getByRole("listitem").filter({ hasText: "Test email" });
      if (javaScript) await expect(delivery).toContainText("Sent");
      else
        await expect(async () => {
          await page.reload();
          await expect(delivery).toContainText("Sent", { timeout: 1000 });
        }).toPass();
      const grace = await signUp(app.url, "Grace Hopper");
      await page.goto(`/admin/people/${grace.id}`);
      if (javaScript) await hydrated(page);
      const verifications = () => mailbox.for(grace.email).filter(({ subject }) => subject.startsWith("Verify your email"));
      const before = verifications().length;
      await page.getByRole("button", { name: "Resend verification" }).click();
      await expect.poll(() => verifications().length).toBe(before + 1);
      if (javaScript) await expect(page.getByText("The verification email was sent.")).toBeVisible();
      else expect(await page.content()).toContain("The verification email was sent.");

      await page.goto(`/admin/mail`);
      const issuer = page.getByRole("list", { name: "Issuers" }).getByRole("listitem");
      await expect(issuer).toContainText("http://127.0.0.1:9");
      await expect(issuer).not.toContainText("Responds");
      await context.close();
    },
  );
});

withAndWithoutJavaScript((javaScript) => {
  test("retries a failed job", { tag: "@administration-repeat-button" }, async ({ app, page, admin }, testInfo) => {
    await failJob(app, testInfo.outputPath("job.zip"));
    await page.goto("/admin/jobs");
    const failed = page.getByRole("list", { name: "Failed jobs" }).getByRole("listitem").filter({ hasText: FAILING_JOB });
    await expect(async () => {
      await page.reload();
      expect(await failed.count()).toBeGreaterThan(0);
    }).toPass();
    const before = await failed.count();
    if (javaScript) await hydrated(page);
    await failed
      .first()
      .getByRole("button", { name: `Retry ${FAILING_JOB}` })
      .click();
    await expect(page.getByText("The job runs again.", { exact: true }).first()).toBeVisible();
    await expect(async () => {
      await page.reload();
      await expect(failed).toHaveCount(before + 1, { timeout: 1000 });
    }).toPass();
    await expect(failed.first()).toContainText("Failed");
    await page.goto("/admin/audit-log");
    await expect(page.getByRole("main").getByText(FAILING_JOB).first()).toBeVisible();
    expect(admin.id).not.toBe("");
  });
});

/** No other test runs it. It fails because its arguments are wrong. */
const FAILING_JOB = "jobs/countUsage:count";

/** Schedules the job as a move between deployments schedules paused jobs. */
async function failJob(app: RunningApp, file: string): Promise<void> {
  const target = await embeddedTarget(app);
  const archive = downloadZip([{ name: "pausedJobs/documents.jsonl", input: JSON.stringify({ name: FAILING_JOB, args: {}, at: 0 }) }]);
  await writeFile(file, await archive.bytes());
  await importSnapshot(target, file, "append");
  await callFunction(target, "moving:resumeJobs", { isMoved: true });
}

const PAGES = ["audit-log", "links", "storage", "jobs", "mail", "health", "settings"];

test(
  "all pages fit narrow and wide screens in both themes",
  { tag: ["@administration-pages-fit", "@slow"] },
  async ({ app, page, admin }, testInfo) => {
    test.setTimeout(400_000);
    const grace = await signUp(app.url, "Grace Hopper Donaudampfschifffahrtsgesellschaftskapitän");
    const { designId, projectId } = await makeDesign(app, grace);
    await addPictures(app, grace, designId, ["fig"]);
    await makeLink(app, grace, projectId, { password: "correct horse link" });
    expect(admin.id).not.toBe("");
    for (const name of PAGES) {
      await page.setViewportSize(NARROW);
      await page.goto(`/admin/${name}`);
      await hydrated(page);
      await expect(page.getByRole("navigation", { name: "Administration" }).locator("[aria-current=page]")).toBeInViewport();
      for (const size of [NARROW, { width: 360, height: 740 }, WIDE]) {
        await page.setViewportSize(size);
        for (const theme of ["dark", "light"] as const) {
          await showTheme(page, theme);
          await drawn(page);
          expect(await outside(page), `${name} at ${size.width}`).toBe(0);
          await expectAccessible(page, ["color-contrast"]);
          await page.screenshot({ path: testInfo.outputPath(`${name}-${size.width}-${theme}.png`), fullPage: true });
        }
      }
    }
  },
);
