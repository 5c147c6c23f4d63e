import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, signUp, test } from "../../harness/test.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

async function copyBuild(withBuild: boolean): Promise<string> {
  const place = await mkdtemp(join(tmpdir(), "atelier-shipped-"));
  for (const part of ["package.json", "server", "engine", ...(withBuild ? ["build"] : [])]) {
    await cp(join(ROOT, part), join(place, part), { recursive: true });
  }
  const { packages } = JSON.parse(await readFile(join(ROOT, "package-lock.json"), "utf8"));
  for (const [path, { dev, link, resolved = "" }] of Object.entries<{ dev?: boolean; link?: boolean; resolved?: string }>(packages)) {
    if (dev || !/^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path)) continue;
    await mkdir(join(place, dirname(path)), { recursive: true });
    await symlink(link ? join(place, resolved) : join(ROOT, path), join(place, path));
  }
  return place;
}

function start(place: string) {
  const settings = { DATA_DIR: join(place, ".data"), PORT: "0", ENGINE_PORT: "0", ENGINE_SITE_PORT: "0" };
  const child = spawn(process.execPath, ["server/start.js"], { cwd: place, env: { PATH: process.env.PATH, ...settings }, stdio: "pipe" });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (chunk: string) => (output += chunk));
  return { child, output: () => output };
}

test("a shipped build starts with production dependencies and builds nothing", { tag: "@slow" }, async () => {
  test.slow();
  const place = await copyBuild(true);
  const { child, output } = start(place);
  try {
    await expect.poll(output, { timeout: 240_000 }).toContain("Atelier is ready at ");
    expect(output()).not.toMatch(/building/i);
    const url = /Atelier is ready at (\S+)/.exec(output())?.[1] ?? "";
    const person = await signUp(url);
    const answer = await fetch(`${url}/projects`, { headers: { Cookie: person.cookieHeader } });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("No projects yet")]);
  } finally {
    child.kill("SIGTERM");
    if (child.exitCode === null) await once(child, "exit");
    await rm(place, { recursive: true });
  }
});

test("reports what is missing without a build and its tools", async () => {
  const place = await copyBuild(false);
  const { child, output } = start(place);
  const [code] = await once(child, "exit");
  expect(code).toBe(1);
  expect(output()).toContain("npm ci");
  await rm(place, { recursive: true });
});
