import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "@playwright/test";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const SHIPPED = ["build", "engine", "package.json", "server"];
const SOURCES = ["app", "convex", "package-lock.json", "public", "react-router.config.ts", "tsconfig.json", "vite.config.ts"];

let dir: string;
test.beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "atelier-shipped-"));
  await symlink(join(ROOT, "node_modules"), join(dir, "node_modules"));
});
test.afterEach(() => rm(dir, { recursive: true, maxRetries: 5 }));

const copyIntoBuild = (...names: string[]) => Promise.all(names.map((name) => cp(join(ROOT, name), join(dir, name), { recursive: true })));

async function start(words: string): Promise<{ output: string; code: number | null }> {
  const env = { PATH: process.env.PATH, DATA_DIR: join(dir, "data"), PORT: "0", ENGINE_PORT: "0", ENGINE_SITE_PORT: "0" };
  const child = spawn(process.execPath, ["server/start.js"], { cwd: dir, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
      if (!child.killed && output.includes(words)) child.kill();
    });
  }
  const [code]: (number | null)[] = await once(child, "exit");
  return { output, code: code ?? null };
}

test("a shipped build starts without its sources", async () => {
  await copyIntoBuild(...SHIPPED);
  const { output, code } = await start("Atelier is ready at");
  expect(output).toContain("Atelier is ready at");
  expect(output).not.toMatch(/building/i);
  expect(code).toBe(0);
});

test("has each file that its processes load", async () => {
  const folder = join(ROOT, "build/processes");
  const files = await readdir(folder);
  const bundles = await Promise.all(files.filter((name) => name.endsWith(".js")).map((name) => readFile(join(folder, name), "utf8")));
  const loaded = bundles.flatMap((code) =>
    [...code.matchAll(/new URL\("\.\/([\w-]+\.\w+)", import\.meta\.url\)/g)].map(([, name]) => name),
  );
  expect(loaded.length).toBeGreaterThan(5);
  expect(files).toEqual(expect.arrayContaining(loaded));
});

test("reports a missing build and missing build tools", async () => {
  await copyIntoBuild("engine", "package.json", "server");
  const { output, code } = await start("never");
  expect(output).toContain("Run 'npm ci'");
  expect(code).toBe(1);
});

test("rebuilds only when the sources differ from the build's", async () => {
  await copyIntoBuild(...SHIPPED, ...SOURCES);
  expect((await start("Atelier is ready at")).output).not.toMatch(/building/i);
  await writeFile(join(dir, "app/routes/added.tsx"), "export default () => null;\n");
  expect((await start("building")).output).toContain("The sources have changed: building…");
  await rm(join(dir, "build"), { recursive: true });
  expect((await start("Building")).output).toContain("Building the app, only needed once…");
});
