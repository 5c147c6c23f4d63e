import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { sync } from "@atelier/engine/copy";
import type { Log } from "../logging/log.ts";

/** Commands of the operator run while the app is stopped, too. So they leave records for the audit log in DATA_DIR. */

const recordSchema = z.object({
  action: z.enum(["backup.taken", "backup.written", "backup.failed", "backup.restored", "database.rolledBack"]),
  /** `at`: milliseconds since 1970. `name`: of the backup or snapshot, without its folder. */
  at: z.number(),
  name: z.string().optional(),
});
export type OperationRecord = z.infer<typeof recordSchema>;
/** A command that can be repeated after a crash gives the same `at` again, so that it is listed once. */
type NewRecord = Omit<OperationRecord, "at"> & { at?: number };

const POLL_MS = 10_000;
const NAME = /^\d+-[\w.]+\.json$/;

const folderOf = (dataDir: string) => join(dataDir, "operations");

/** Leaves a record for the next start, or for the running app. Never fails, because the command has already done its work. */
export async function leaveRecord(dataDir: string, { at = Date.now(), ...record }: NewRecord): Promise<void> {
  const path = join(folderOf(dataDir), `${at}-${record.action}.json`);
  try {
    await mkdir(folderOf(dataDir), { recursive: true, mode: 0o700 });
    await writeFile(`${path}.partial`, JSON.stringify({ ...record, at }), { mode: 0o600, flush: true });
    await rename(`${path}.partial`, path);
    await sync(folderOf(dataDir));
  } catch (error) {
    console.warn(`The audit log will not list this: ${error instanceof Error ? error.message : String(error)}`);
  }
}

export type RecordsOptions = {
  dataDir: string;
  /** Must accept the same record twice, because a crash can prevent its removal. */
  store: (record: OperationRecord) => Promise<void>;
  log: Pick<Log, "warn">;
  pollMs?: number;
};

/** Stores the records of commands, now and in each poll, and then removes them. A record that cannot be stored stays. */
export function watchRecords({ dataDir, store, log, pollMs = POLL_MS }: RecordsOptions): { close(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function sweep(): Promise<void> {
    const names = (await readdir(folderOf(dataDir)).catch(() => [])).filter((name) => NAME.test(name));
    for (const name of names) {
      if (signal.aborted) return;
      const path = join(folderOf(dataDir), name);
      const record = await readRecord(path);
      if (record) await store(record);
      else log.warn({ file: name }, "a record of a command cannot be read, so the audit log does not list it");
      await rm(path, { force: true });
    }
  }

  async function loop(): Promise<void> {
    while (!signal.aborted) {
      // The deployment may be unavailable. The record stays for the next time.
      await sweep().catch(() => undefined);
      await sleep(pollMs, undefined, { ref: false, signal }).catch(() => undefined);
    }
  }

  const looping = loop();
  return {
    close() {
      stopping.abort();
      return looping;
    },
  };
}

async function readRecord(path: string): Promise<OperationRecord | null> {
  try {
    return recordSchema.parse(JSON.parse(await readFile(path, "utf8")));
  } catch {
    return null;
  }
}
