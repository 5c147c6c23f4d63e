import "../compile-cache.ts";
import { readdirSync } from "node:fs";
import { constants, setPriority } from "node:os";
import type { BackupRun } from "./run-backup.ts";

export type WorkerMessage = { run: BackupRun } | { failure: string };

lowerPriority();
process.once("disconnect", () => process.exit(1));

const { createPrivateFiles } = await import("../deployment/private-folder.ts");
createPrivateFiles();
process.send?.(await outcome(), () => process.exit());

async function outcome(): Promise<WorkerMessage> {
  try {
    const [{ readConfig }, { runBackup }] = await Promise.all([import("../config/config.ts"), import("./run-backup.ts")]);
    const { server } = await readConfig(process.env, { production: true });
    if (!server.backups) throw new Error("BACKUP_TO is missing.");
    const fileBucket = server.engine?.fileBucket ?? null;
    return { run: await runBackup({ dataDir: server.dataDir, settings: server.backups, fileBucket, env: process.env }) };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}

/** Leaves the process a tenth of a busy processor: less would delay deletions. Linux has a priority per thread, inherited by later ones. */
function lowerPriority(): void {
  const threads = process.platform === "linux" ? readdirSync("/proc/self/task").map(Number) : [0];
  for (const thread of threads) setPriority(thread, constants.priority.PRIORITY_BELOW_NORMAL);
}
