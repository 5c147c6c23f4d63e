import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { APP, canBuild, isFresh, ROOT, SERVER, stampOf } from "./stamp.ts";

/** Builds the missing and outdated parts. Without sources or tools it accepts any build, and exits if there is none. */
export async function ensureBuilt(): Promise<void> {
  const isBuilt = (await stampOf(APP)) !== null && (await stampOf(SERVER)) !== null;
  if (!canBuild()) {
    if (isBuilt) return;
    console.error("There is no build, and packages that it needs are missing. Run 'npm ci' (without --omit=dev), then 'npm start'.");
    process.exit(1);
  }
  const isAppFresh = await isFresh(APP);
  if (isAppFresh && (await isFresh(SERVER))) return;
  console.log(isBuilt ? "The sources have changed: building…" : "Building the app, only needed once…");
  // A separate process frees the builder's memory.
  const child = spawn(process.execPath, [join(ROOT, "server/build/build.ts"), ...(isAppFresh ? ["server"] : [])], {
    cwd: ROOT,
    stdio: ["ignore", "inherit", "inherit"],
  });
  process.once("exit", () => child.kill());
  const [code] = await once(child, "exit");
  if (code !== 0) process.exit(1);
}
