import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { commandLine, copyProject, startTestDeployment } from "../tests/convex/deployment.ts";

it("_generated/ matches the output of the official command line", { timeout: 60_000 }, async () => {
  const project = await copyProject();
  const deployment = await startTestDeployment();
  try {
    await rm(join(project, "convex/_generated"), { recursive: true });
    await commandLine(project, deployment.url, ["codegen"]);
    const made = await contents(join(project, "convex/_generated"));
    expect(await contents(fileURLToPath(new URL("./_generated", import.meta.url)))).toEqual(made);
  } finally {
    await deployment.close();
    await rm(project, { recursive: true });
  }
});

async function contents(folder: string): Promise<Record<string, string>> {
  const names = await readdir(folder);
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), "utf8")] as const)));
}
