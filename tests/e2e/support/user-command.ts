import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { APP_USER } from "../../harness/app.ts";
import type { RunningApp } from "../../harness/test.ts";

const START = fileURLToPath(new URL("../../../server/start.js", import.meta.url));
const run = promisify(execFile);

type Result = { code: number; output: string };

export function runUserCommand(app: RunningApp, ...args: string[]): Promise<Result> {
  return runUserCommandWith({}, app, ...args);
}

export function runUserCommandWith(settings: Record<string, string>, app: RunningApp, ...args: string[]): Promise<Result> {
  return runCommand("user", settings, app, args);
}

export async function runCommand(
  name: "user" | "links",
  settings: Record<string, string>,
  app: RunningApp,
  args: string[],
): Promise<Result> {
  const env = {
    PATH: process.env.PATH,
    DATA_DIR: app.dataDir,
    PORT: String(app.port),
    ENGINE_PORT: "0",
    ENGINE_SITE_PORT: "0",
    ...settings,
  };
  const cwd = join(START, "../..");
  return run(process.execPath, [START, name, ...args], { env, cwd, ...APP_USER }).then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({ code: error.code, output: error.stdout + error.stderr }),
  );
}
