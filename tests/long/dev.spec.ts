import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { expect, hydrated, signUp, test } from "../harness/test.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SOURCES = [
  "app",
  "convex",
  "engine",
  "public",
  "server",
  "package.json",
  "react-router.config.ts",
  "tsconfig.json",
  "vite.config.ts",
];

test("in development, changes of the app and of functions reach an open page", async ({ browser }) => {
  test.setTimeout(900_000);
  const copy = await mkdtemp(join(tmpdir(), "atelier-dev-"));
  for (const source of SOURCES) await cp(join(ROOT, source), join(copy, source), { recursive: true });
  await symlink(join(ROOT, "node_modules"), join(copy, "node_modules"));
  const settings = { DATA_DIR: join(copy, ".data"), PORT: "0", ENGINE_PORT: "0", ENGINE_SITE_PORT: "0" };
  const dev = spawn(process.execPath, ["server/start.js", "dev"], {
    cwd: copy,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output: string[] = [];
  for (const stream of [dev.stdout, dev.stderr]) stream.on("data", (chunk: Buffer) => output.push(chunk.toString()));
  dev.once("exit", (code, signal) => output.push(`exited with ${code ?? signal}\n`));
  try {
    const url = await address(dev);
    const person = await signUp(url);
    const made = await fetch(`${url}/projects`, {
      method: "POST",
      redirect: "manual",
      headers: { Cookie: person.cookieHeader, Origin: url, "Content-Type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ intent: "createProject", name: "Harbour" }),
    });
    expect(made.status).toBe(303);
    const context = await browser.newContext({ baseURL: url });
    await context.addCookies(person.cookies);
    const page = await context.newPage();
    await page.goto("/dev/ui", { waitUntil: "commit", timeout: 120_000 });
    const backgrounds = ["Components, dark", "Components, light"].map((name) =>
      page.locator("[data-theme]", { has: page.getByRole("heading", { name }) }).last(),
    );
    for (const [index, background] of backgrounds.entries()) {
      await expect(background.getByRole("heading", { name: "Empty state" })).toBeVisible({ timeout: 120_000 });
      await expect(background).toHaveCSS("background-color", index === 0 ? "oklch(0.155 0 0)" : "oklch(0.985 0 0)", { timeout: 120_000 });
    }
    // Vite reloads a new page until it has found the page's dependencies, which can abort this navigation.
    await expect(async () => {
      await page.goto("/projects", { timeout: 60_000 });
    }).toPass();
    await hydrated(page);

    await change(join(copy, "app/routes/projects.tsx"), 'title="Projects"', 'title="All of them"');
    await expect(page.getByRole("heading", { name: "All of them" })).toBeVisible({ timeout: 180_000 });
    await change(
      join(copy, "convex/projects.ts"),
      "  toShape: toProject,",
      "  toShape: (...row: Parameters<typeof toProject>) => ({ ...toProject(...row), name: `${row[0].name}, newly` }),",
    );
    await expect(page.getByRole("main").getByText("Harbour, newly")).toBeVisible({ timeout: 180_000 });
    await context.close();

    await fetch(`${url}/api/auth/request-password-reset`, {
      method: "POST",
      headers: { Origin: url, "Content-Type": "application/json" },
      body: JSON.stringify({ email: person.email, redirectTo: "/reset-password" }),
    });
    const reading = await browser.newContext({ baseURL: url, javaScriptEnabled: false });
    const outbox = await reading.newPage();
    await outbox.goto("/dev/outbox");
    const mail = outbox.locator("main > * > *", { has: outbox.getByRole("heading", { name: /^Choose a new password/ }) });
    await mail.getByText("As text").click();
    await expect(mail.getByText("requested a password reset")).toBeVisible();
    await mail.getByText("As HTML").click();
    await expect(mail.frameLocator("iframe").getByRole("link", { name: "Choose a new password" })).toBeVisible();
    await mail.getByRole("link", { name: /reset-password/ }).click();
    await expect(outbox.getByLabel("New password")).toBeVisible();
    await reading.close();
    expect(output.join("")).not.toMatch(/(?:reload|update) .*\.data\//);
  } catch (error) {
    console.error(output.join(""));
    throw error;
  } finally {
    dev.kill("SIGTERM");
    if (dev.exitCode === null) await once(dev, "exit");
    await rm(copy, { recursive: true });
  }
});

async function address(dev: ChildProcessByStdio<null, Readable, Readable>): Promise<string> {
  for await (const line of createInterface(dev.stdout)) {
    const url = /^Atelier is ready at (\S+)/.exec(line)?.[1];
    if (!url) continue;
    dev.stdout.resume();
    return url;
  }
  throw new Error("It has not started.");
}

async function change(path: string, from: string, to: string): Promise<void> {
  const source = await readFile(path, "utf8");
  expect(source).toContain(from);
  await writeFile(path, source.replace(from, to));
}
