import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const BUILDER = `
  import { mkdir, writeFile } from "node:fs/promises";
  import { APP, PROCESSES, SERVER, sourcesHash } from "./stamp.ts";
  console.log("BUILT", process.argv[2] ?? "everything");
  await mkdir(PROCESSES, { recursive: true });
  for (const part of process.argv[2] ? [SERVER] : [APP, SERVER]) await writeFile(part.stamp, await sourcesHash(part));
`;

let place = "";
const writeSource = (path: string, text: string) => {
  mkdirSync(join(place, path, ".."), { recursive: true });
  writeFileSync(join(place, path), text);
};

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "atelier-ensure-"));
  for (const file of ["ensure.ts", "stamp.ts"]) cpSync(fileURLToPath(new URL(file, import.meta.url)), join(place, "server/build", file));
  writeSource("server/build/build.ts", BUILDER);
  writeSource("package.json", '{ "type": "module" }');
  for (const file of [
    "app/root.tsx",
    "convex/schema.ts",
    "public/robots.txt",
    "engine/dashboard/main.tsx",
    "engine/src/main.ts",
    "server/main.ts",
  ])
    writeSource(file, "one");
  for (const file of ["package-lock.json", "react-router.config.ts", "tsconfig.json", "vite.config.ts"]) writeSource(file, "one");
  writeSource("node_modules/@react-router/dev/package.json", "{}");
});
afterEach(() => rmSync(place, { recursive: true }));

function start() {
  const code = 'const { ensureBuilt } = await import("./server/build/ensure.ts"); await ensureBuilt(); console.log("STARTED");';
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", code], { cwd: place, encoding: "utf8" });
  return { status, built: /BUILT (\w+)/.exec(stdout)?.[1] ?? null, started: stdout.includes("STARTED"), stderr };
}

describe("ensureBuilt", () => {
  it("builds once when there is no build", () => {
    expect(start()).toMatchObject({ built: "everything", started: true });
    expect(start()).toMatchObject({ built: null, started: true });
  });

  it.each(["engine/dashboard/main.tsx", "engine/src/main.ts", "server/main.ts"])("builds only the server when %s has changed", (path) => {
    start();
    writeSource(path, "two");
    expect(start()).toMatchObject({ built: "server", started: true });
    expect(start().built).toBeNull();
  });

  it.each(["app/root.tsx", "convex/schema.ts", "package-lock.json", "vite.config.ts"])("builds when %s has changed", (path) => {
    start();
    writeSource(path, "two");
    expect(start()).toMatchObject({ built: "everything", started: true });
  });

  it("builds when a source is added or removed", () => {
    start();
    writeSource("app/routes/new.tsx", "new");
    expect(start().built).toBe("everything");
    rmSync(join(place, "app/routes/new.tsx"));
    expect(start().built).toBe("everything");
  });

  it("does not build for a newer date, a test or another file", () => {
    start();
    utimesSync(join(place, "app/root.tsx"), new Date(), new Date());
    writeSource("app/root.test.tsx", "a test");
    writeSource("README.md", "changed");
    expect(start().built).toBeNull();
  });

  it("accepts a shipped build without sources", () => {
    start();
    writeSource("app/root.tsx", "other sources");
    rmSync(join(place, "node_modules"), { recursive: true });
    expect(start()).toMatchObject({ built: null, started: true });
    rmSync(join(place, "app"), { recursive: true });
    expect(start()).toMatchObject({ built: null, started: true });
  });

  it("reports what is missing without a build and without build tools", () => {
    rmSync(join(place, "node_modules"), { recursive: true });
    expect(start()).toMatchObject({ status: 1, started: false, stderr: expect.stringContaining("npm ci") });
  });

  it.each([
    ["build/stamp", "everything"],
    ["build/processes/stamp", "server"],
  ])("builds again after an interrupted build, without %s", (stamp, built) => {
    start();
    rmSync(join(place, stamp));
    expect(existsSync(join(place, "build"))).toBe(true);
    expect(start().built).toBe(built);
    expect(readFileSync(join(place, stamp), "utf8")).toMatch(/^[\da-f]{64}$/);
  });
});
