import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { convexToJson } from "convex/values";
import { ADMIN_KEY, createIssuer, type EngineProcess, removeFolder, startEngine, temporaryFolder } from "@atelier/engine/testing/harness";
import { pushFixture, pushProject } from "@atelier/engine/testing/deployed";
import { expect, expectAccessible, test } from "../../harness/test.ts";

const REMINDERS = `import { anyApi, mutationGeneric as mutation } from "convex/server";
export const plan = mutation({ args: {}, handler: (ctx) => ctx.scheduler.runAfter(1e9, anyApi.counters.add, { name: "late", by: 1 }) });`;
const CRONS = `import { anyApi, cronJobs } from "convex/server";
const crons = cronJobs();
crons.monthly("monthly count", { day: 1, hourUTC: 0, minuteUTC: 0 }, anyApi.counters.add, { name: "monthly", by: 1 });
export default crons;`;
const APP = `import { defineApp } from "convex/server";
import ledger from "./_componentDeps/${Buffer.from("ledger").toString("base64url")}";
const app = defineApp();
app.use(ledger);
export default app;`;
const LEDGER = {
  "convex.config.ts": `import { defineComponent } from "convex/server"; export default defineComponent("ledger");`,
  "schema.ts": `import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";
export default defineSchema({ entries: defineTable({ cents: v.int64(), kind: v.string() }).index("by_cents", ["cents"]) });`,
};

let dataDir: string;
let project: string;
let deployment: EngineProcess;

test.beforeAll(async () => {
  dataDir = temporaryFolder("dashboard");
  deployment = await startEngine(dataDir, ADMIN_KEY);
  project = await pushFixture(deployment, await createIssuer());
  await writeFile(join(project, "convex/reminders.ts"), REMINDERS);
  await writeFile(join(project, "convex/crons.ts"), CRONS);
  await writeFile(join(project, "convex/convex.config.ts"), APP);
  await pushProject(deployment, project, { ledger: { files: LEDGER } });
});
test.afterAll(async () => {
  await deployment.stop();
  removeFolder(dataDir);
  removeFolder(project);
});

async function change(path: string, args: object, componentPath = ""): Promise<unknown> {
  const response = await fetch(`${deployment.url}/api/mutation`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Convex ${ADMIN_KEY}` },
    body: JSON.stringify({ path, args: [args], format: "convex_encoded_json", componentPath }),
  });
  const { status, value, errorMessage } = await response.json();
  if (status !== "success") throw new Error(errorMessage);
  return value;
}

const insert = (table: string, documents: object[]) => change("_system/dashboard/insert", { table, documents });

async function open(page: Page, place = ""): Promise<void> {
  await page.goto(`${deployment.url}/dashboard${place}`);
  await page.getByLabel("Admin key").fill(ADMIN_KEY);
  await page.getByRole("button", { name: "Open dashboard" }).click();
  await expect(page.getByRole("navigation", { name: "Dashboard" })).toBeVisible();
}

const cell = (page: Page, name: string) => page.getByRole("cell", { name, exact: true });

test("opens with the admin key only, which never enters the address", async ({ page }) => {
  const response = await page.goto(`${deployment.url}/dashboard`);
  expect(response?.headers()["content-security-policy"]).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
  await page.getByLabel("Admin key").fill("test|wrong");
  await page.getByLabel("Admin key").press("Enter");
  await expect(page.getByRole("alert")).toHaveText("This is not the deployment's admin key.");
  await open(page);
  await page.reload();
  await expect(page.getByRole("heading", { name: "Tables" })).toBeVisible();
  expect(page.url()).not.toContain("5a5a");
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page.getByLabel("Admin key")).toBeVisible();
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
});

test("shows, filters, sorts and pages the documents of a table", async ({ page }) => {
  await insert(
    "balances",
    Array.from({ length: 60 }, (_, i) => ({ n: (i * 7) % 60, amount: i, version: i % 2 })),
  );
  await open(page, "#tables/balances");
  const rows = page.getByRole("region", { name: "Documents of balances" }).getByRole("row");
  await expect(rows).toHaveCount(51);
  await page.getByRole("button", { name: "Next page" }).click();
  await expect(rows).toHaveCount(11);
  await page.getByLabel("Sort by").selectOption("by_n");
  await page.getByLabel("Order").selectOption("asc");
  await expect(rows.nth(1).getByRole("cell").nth(3)).toHaveText("0");
  await expect(rows.nth(50).getByRole("cell").nth(3)).toHaveText("49");
  const filter = async (field: string, comparison: string, value: string) => {
    await page.getByLabel("Field", { exact: true }).fill(field);
    await page.getByLabel("Comparison").selectOption(comparison);
    await page.getByLabel("Value (JSON)").fill(value);
    await page.getByRole("button", { name: "Add filter" }).click();
  };
  await filter("n", ">", "nonsense");
  await expect(page.getByRole("alert")).toContainText("Not valid JSON");
  await filter("n", "≥", "50");
  await filter("version", "=", "1");
  await expect(rows).toHaveCount(6);
  await page.getByRole("button", { name: "Remove filter version" }).click();
  await expect(rows).toHaveCount(11);
});

test("adds, edits and deletes documents, and keeps rejected input", async ({ page }) => {
  await open(page, "#tables/counters");
  await expect(page.getByText("No documents.")).toBeVisible();
  await page.getByRole("button", { name: "Add document" }).click();
  const editor = page.getByLabel("Fields (JSON)");
  const save = page.getByRole("button", { name: "Save document" });
  await editor.fill('{ "name": "wrong", "value": { "$integer": "5" } }');
  await save.click();
  await expect(page.getByRole("alert")).toContainText("does not match the schema");
  await page.keyboard.press("Escape");
  await expect(page.getByText("You have unsaved changes")).toBeVisible();
  await expect(editor).toHaveValue(/wrong/);
  await editor.fill('{ "name": "one", "value": 5 }');
  await save.click();
  await expect(cell(page, "one")).toBeVisible();

  await page.getByRole("button", { name: /^Edit / }).click();
  await editor.fill('{ "name": "one", "value": 6 }');
  await change("counters:add", { name: "one", by: 10 });
  await save.click();
  await expect(page.getByRole("alert")).toContainText("was changed meanwhile");
  await expect(editor).toHaveValue('{ "name": "one", "value": 6 }');
  await page.getByRole("button", { name: "Discard changes" }).click();
  await expect(cell(page, "15")).toBeVisible();
  await page.getByRole("button", { name: /^Edit / }).click();
  await editor.fill('{ "name": "one", "value": 7 }');
  await save.click();
  await expect(cell(page, "7")).toBeVisible();

  await insert("counters", [
    { name: "two", value: 2 },
    { name: "three", value: 3 },
  ]);
  await expect(cell(page, "three")).toBeVisible();
  await page.getByLabel("Select all of this page").check();
  await page.getByRole("button", { name: "Delete selected (3)" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("Delete 3 documents of counters permanently");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(cell(page, "two")).toBeVisible();
  await page.getByRole("button", { name: "Delete selected (3)" }).click();
  await dialog.getByRole("button", { name: "Delete selected (3)" }).click();
  await expect(page.getByText("No documents.")).toBeVisible();
});

test("edits integers of a component's table, and deletes all matches", async ({ page }) => {
  const entries = Array.from({ length: 620 }, (_, i) => ({ cents: convexToJson(BigInt(i)), kind: i < 610 ? "old" : "new" }));
  await change("_system/dashboard/insert", { table: "entries", documents: entries }, "ledger");
  await open(page);
  await page.getByLabel("Component").selectOption("ledger");
  await page.getByRole("combobox", { name: "Table", exact: true }).selectOption("entries");
  const rows = page.getByRole("region", { name: "Documents of entries" }).getByRole("row");
  await page.getByLabel("Sort by").selectOption("by_cents");
  await expect(rows.nth(1).getByRole("cell").nth(2)).toHaveText("619n");
  await rows
    .nth(1)
    .getByRole("button", { name: /^Edit / })
    .click();
  const editor = page.getByLabel("Fields (JSON)");
  await expect(editor).toHaveValue(/"\$integer": "619"/);
  await editor.fill('{ "cents": { "$integer": "9007199254740993" }, "kind": "new" }');
  await page.getByRole("button", { name: "Save document" }).click();
  await expect(rows.nth(1).getByRole("cell").nth(2)).toHaveText("9007199254740993n");

  await page.getByLabel("Field", { exact: true }).fill("kind");
  await page.getByLabel("Value (JSON)").fill('"old"');
  await page.getByRole("button", { name: "Add filter" }).click();
  await expect(rows.nth(1).getByRole("cell").nth(2)).toHaveText("609n");
  await page.getByRole("button", { name: "Delete all matches" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("all documents that match the filters of entries permanently");
  await dialog.getByRole("button", { name: "Delete all matches" }).click();
  await expect(dialog).toBeHidden();
  await page.getByRole("button", { name: "Remove filter kind" }).click();
  await expect(rows).toHaveCount(11);
  await page.getByRole("button", { name: "Delete all documents" }).click();
  await dialog.getByRole("button", { name: "Delete all documents" }).click();
  await expect(page.getByText("No documents.")).toBeVisible();
});

test("runs functions, and shows their result, errors and log", async ({ page }) => {
  await open(page, "#functions/messages:send");
  const args = page.getByLabel("Arguments (JSON)");
  await args.fill('{ "channel": "runner" }');
  await page.getByRole("button", { name: "Run mutation" }).click();
  await expect(page.getByRole("alert")).toContainText("missing the required field `body`");
  await expect(args).toHaveValue('{ "channel": "runner" }');
  await args.fill('{ "channel": "runner", "body": "from the dashboard" }');
  await page.getByRole("button", { name: "Run mutation" }).click();
  await expect(page.getByTestId("result")).toHaveText(/^"\w{31,37}"$/);
  await page.getByLabel("Function").selectOption("messages:crash");
  await page.getByRole("button", { name: "Run query" }).click();
  await expect(page.getByRole("alert")).toContainText("a plain error");

  await page.getByRole("link", { name: "Logs" }).click();
  await expect(page.getByRole("cell", { name: "'sending' 'from the dashboard'" })).toBeVisible();
  await page.getByLabel("Only errors").check();
  await expect(page.getByRole("cell", { name: "'sending' 'from the dashboard'" })).toBeHidden();
  await expect(page.getByRole("cell", { name: "a plain error" })).toBeVisible();
});

test("shows crons, and cancels scheduled functions", async ({ page }) => {
  await change("reminders:plan", {});
  await open(page, "#schedules");
  await expect(cell(page, "monthly count")).toBeVisible();
  await expect(cell(page, "pending")).toBeVisible();
  await page.getByRole("checkbox", { name: "Select all of this page" }).check();
  await page.getByRole("button", { name: "Cancel selected (1)" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel selected (1)" }).click();
  await expect(cell(page, "canceled")).toBeVisible();
});

test("stores, downloads and deletes files", async ({ page }) => {
  await open(page, "#files");
  await page.getByLabel("Upload files").setInputFiles({ name: "note.txt", mimeType: "text/plain", buffer: Buffer.from("a note") });
  await expect(cell(page, "6 bytes")).toBeVisible();
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: /^Download / }).click();
  expect(await readFile(await (await downloading).path(), "utf8")).toBe("a note");
  await page.getByLabel("Select all of this page").check();
  await page.getByRole("button", { name: "Delete selected (1)" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete selected (1)" }).click();
  await expect(page.getByText("No files.")).toBeVisible();
});

test("sets and deletes environment variables, and shows metrics", async ({ page }) => {
  await open(page, "#environment");
  await page.getByLabel("Name", { exact: true }).fill("GREETING");
  await page.getByLabel("Value", { exact: true }).fill("hello");
  await page.getByRole("button", { name: "Set variable" }).click();
  await expect(cell(page, "GREETING")).toBeVisible();
  await page.getByLabel("Show values").check();
  await expect(cell(page, "hello")).toBeVisible();
  await page.getByRole("button", { name: "Delete GREETING" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete GREETING" }).click();
  await expect(cell(page, "GREETING")).toBeHidden();
  await page.getByRole("link", { name: "Metrics" }).click();
  await expect(page.getByRole("cell", { name: "convex_websockets" })).toBeVisible();
});

test("has no axe violations and fits 360 and 1440 pixels, dark and light", async ({ page }) => {
  await insert("messages", [{ channel: "axe", body: "A long text. ".repeat(40) }]);
  await open(page, "#tables/messages");
  await expect(cell(page, "axe")).toBeVisible();
  for (const place of ["#tables/messages", "#schema", "#functions", "#logs", "#schedules", "#files", "#environment", "#metrics"]) {
    await page.goto(`${deployment.url}/dashboard${place}`);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    for (const width of [360, 1440])
      for (const colorScheme of ["dark", "light"] as const) {
        await page.setViewportSize({ width, height: 800 });
        await page.emulateMedia({ colorScheme });
        await expectAccessible(page);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      }
  }
});
