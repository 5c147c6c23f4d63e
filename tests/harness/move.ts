import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import type { Target } from "../../server/deployment/push.ts";
import { callSystemQuery } from "../../server/moving/admin-calls.ts";
import type { RunningApp } from "./test.ts";

const START = fileURLToPath(new URL("../../server/start.js", import.meta.url));

export type MoveOptions = {
  app: Pick<RunningApp, "dataDir">;
  args: string[];
  settings: Record<string, string>;
  killAt?: string;
  onOutput?: (output: string) => void;
};

export function runMove({ app, args, settings, killAt, onOutput }: MoveOptions): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [START, "move", ...args], {
    cwd: join(START, "../.."),
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: app.dataDir, ENGINE_PORT: "0", ENGINE_SITE_PORT: "0", ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      onOutput?.(output);
      if (killAt !== undefined && output.includes(killAt)) child.kill("SIGKILL");
    });
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, output })));
}

const secretsSchema = z.object({ engineAdminKey: z.string() });

export async function embeddedTarget(app: RunningApp): Promise<Target> {
  const { engineAdminKey } = secretsSchema.parse(JSON.parse(await readFile(join(app.dataDir, "secrets.json"), "utf8")));
  return { url: app.deployment.url, adminKey: engineAdminKey };
}

const rowsSchema = z.object({ page: z.array(z.record(z.string(), z.unknown())) });

export async function rowsOf(target: Target, table: string): Promise<Record<string, unknown>[]> {
  const args = { table, order: "asc", paginationOpts: { cursor: null, numItems: 1000 } };
  return rowsSchema.parse(await callSystemQuery(target, "_system/cli/tableData", args)).page;
}

const jobSchema = z.object({
  name: z.string(),
  args: z.array(z.unknown()),
  scheduledTime: z.number(),
  state: z.object({ kind: z.string() }),
});

export async function pendingJobs(target: Target): Promise<{ name: string; args: unknown; at: number }[]> {
  const jobs = (await rowsOf(target, "_scheduled_functions")).map((row) => jobSchema.parse(row));
  return jobs.flatMap(({ name, args, scheduledTime: at, state }) => (state.kind === "pending" ? [{ name, args, at }] : []));
}

export async function movedSettings(app: Pick<RunningApp, "dataDir">): Promise<Record<string, string>> {
  const text = await readFile(join(app.dataDir, "move/settings.env"), "utf8");
  return Object.fromEntries(
    [...text.matchAll(/^([A-Z_]+)=(?:'(.*)'|(.*))$/gm)].map(([, name, quoted, plain]) => [String(name), quoted ?? plain ?? ""]),
  );
}
