import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { canBuild, ROOT, sourcesHash, STAMP } from "./stamp.ts";

/** Builds if there is no build or the sources changed. Accepts a build without sources or tools, and exits if there is neither. */
export async function ensureBuilt(): Promise<void> {
  const stamp = await readFile(STAMP, "utf8").catch(() => null);
  if (!canBuild()) {
    if (stamp !== null) return;
    console.error("There is no build, and packages that it needs are missing. Run 'npm ci' (without --omit=dev), then 'npm start'.");
    process.exit(1);
  }
  if (stamp === (await sourcesHash())) return;
  console.log(stamp === null ? "Building the app, only needed once…" : "The sources have changed: building…");
  // A separate process frees the builder's memory.
  const child = spawn(process.execPath, [join(ROOT, "server/build/build.ts")], { cwd: ROOT, stdio: ["ignore", "inherit", "inherit"] });
  process.once("exit", () => child.kill());
  const [code] = await once(child, "exit");
  if (code !== 0) process.exit(1);
}
