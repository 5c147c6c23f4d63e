import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { removeFolder, temporaryFolder } from "./harness.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const MODULES = join(ROOT, "node_modules");
const MESSAGES = `import { mutationGeneric as mutation, queryGeneric as query } from "convex/server";
import { v } from "convex/values";
export const send = mutation({ args: { body: v.string() }, handler: async (ctx, { body }) => { await ctx.db.insert("messages", { body }); } });
export const list = query({ args: {}, handler: async (ctx) => (await ctx.db.query("messages").collect()).map((message): string => message.body) });
`;
/** The push loads it in a process that may read only the engine and its dependency. */
const HASHES = `"use node";
import { createHash } from "node:crypto";
import { actionGeneric as action } from "convex/server";
export const empty = action({ args: {}, handler: async () => createHash("sha256").digest("hex") });
`;

let project: string;
const node = (...args: string[]) =>
  promisify(execFile)(process.execPath, args, {
    cwd: project,
    env: {
      PATH: [dirname(process.execPath), join(MODULES, ".bin"), process.env["PATH"]].join(delimiter),
      HOME: project,
      CI: "1",
      NO_COLOR: "1",
    },
  });

beforeAll(async () => {
  project = temporaryFolder("package");
  const installed = join(project, "node_modules");
  mkdirSync(join(installed, "@atelier"), { recursive: true });
  for (const name of readdirSync(MODULES))
    if (name !== "@atelier" && !name.startsWith(".")) symlinkSync(join(MODULES, name), join(installed, name));
  symlinkSync(join(MODULES, ".bin"), join(installed, ".bin"));
  await node(join(ROOT, "engine/pack.ts"), join(installed, "@atelier/engine"));
  writeFileSync(join(project, "package.json"), '{ "type": "module", "dependencies": { "convex": "1.48.0" } }');
  mkdirSync(join(project, "convex/_generated"), { recursive: true });
  writeFileSync(join(project, "convex/_generated/api.js"), 'import { anyApi } from "convex/server";\nexport const api = anyApi;\n');
  writeFileSync(join(project, "convex/messages.ts"), MESSAGES);
  writeFileSync(join(project, "convex/hashes.ts"), HASHES);
});
afterAll(() => removeFolder(project));

describe("the packed engine", { tags: ["slow", "@packed-engine"], timeout: 180_000 }, () => {
  it("runs the example of its README in a project of its own", async () => {
    const readme = readFileSync(join(project, "node_modules/@atelier/engine/README.md"), "utf8");
    const example = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";
    writeFileSync(join(project, "messages.test.ts"), example);
    const { stdout } = await node(join(MODULES, "vitest/vitest.mjs"), "run", "--root", project);
    expect(stdout).toMatch(/Tests\s+1 passed/);
  });

  it("has types", async () => {
    writeFileSync(
      join(project, "typed.ts"),
      `import { startDeployment } from "@atelier/engine";
       const { url, adminKey, close } = await startDeployment({ dataDir: "data", port: 0 });
       const texts: string[] = [url, adminKey];
       // @ts-expect-error The folder is text.
       await startDeployment({ dataDir: 1, port: 0 });
       await close();
       export { texts };`,
    );
    const options = ["--ignoreConfig", "--noEmit", "--strict", "--module", "nodenext", "--target", "ES2024", "--types", "node"];
    await expect(node(join(MODULES, "typescript/bin/tsc"), ...options, "typed.ts")).resolves.toMatchObject({ stdout: "" });
  });

  it("serves the dashboard", async () => {
    writeFileSync(
      join(project, "dashboard.mjs"),
      `import { startDeployment } from "@atelier/engine";
       const { url, close } = await startDeployment({ dataDir: "shown", port: 0, dashboard: true });
       for (const path of ["", "/dashboard.js", "/dashboard.css"]) console.log((await fetch(url + "/dashboard" + path)).status);
       await close();`,
    );
    expect((await node("dashboard.mjs")).stdout).toBe("200\n200\n200\n");
  });

  it("has a command", async () => {
    const { stdout } = await node(join(project, "node_modules/@atelier/engine/main.js"), "--help");
    expect(stdout).toContain("--data DIR");
  });
});
