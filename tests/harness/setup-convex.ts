import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startEmbedded } from "../../server/deployment/embedded.ts";
import { log } from "../../server/logging/log.ts";
import type { Target } from "../../server/deployment/push.ts";

const START = fileURLToPath(new URL("../../server/start.js", import.meta.url));
const RECORDER = new URL("preloads/record-arguments.ts", import.meta.url).href;

type Settings = Record<string, string | undefined>;

export type Standalone = {
  target: Target;
  setUp: (flags?: string[], settings?: Settings) => Promise<string>;
  writeEnv: (settings: Settings) => Promise<void>;
  commandLines: () => Promise<string>;
  close: () => Promise<void>;
};

/** `existing`: the folder and key of a deployment that has data. It stays when the deployment is closed. */
export async function startStandalone(existing?: { dir: string; adminKey: string }): Promise<Standalone> {
  log.level = "warn";
  const dir = await mkdtemp(join(tmpdir(), "atelier-standalone-"));
  const adminKey = existing?.adminKey ?? `standalone|${randomBytes(32).toString("hex")}`;
  const deployment = await startEmbedded({ dir: existing?.dir ?? join(dir, "data"), port: 0, sitePort: 0, adminKey, log });
  const recorded = join(dir, "arguments");
  return {
    target: { url: deployment.url, adminKey },
    async setUp(flags = [], settings = {}) {
      const env = { PATH: process.env.PATH, HOME: process.env.HOME, NODE_OPTIONS: `--import=${RECORDER}`, RECORD_ARGUMENTS: recorded };
      const { stdout } = await promisify(execFile)(process.execPath, [START, "setup:convex", ...flags], {
        cwd: dir,
        env: { ...env, ...settings },
      });
      return stdout;
    },
    writeEnv: (settings) =>
      writeFile(
        join(dir, ".env"),
        Object.entries(settings)
          .map(([name, value]) => `${name}='${value}'\n`)
          .join(""),
      ),
    commandLines: () => readFile(recorded, "utf8"),
    async close() {
      await deployment.close();
      await rm(dir, { recursive: true });
    },
  };
}

export const printedSettings = (output: string): Record<string, string> =>
  Object.fromEntries(
    [...output.matchAll(/^([A-Z_]+)=(?:'(.*)'|(.*))$/gm)].map(([, name, quoted, plain]) => [String(name), quoted ?? plain ?? ""]),
  );
