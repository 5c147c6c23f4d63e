import { createReadStream } from "node:fs";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { lockForBackup } from "../backup/back-up.ts";
import type { FileBucketSettings } from "../functions/files/bucket/bucket-settings.ts";
import type { FunctionRunner } from "../functions/types.ts";
import { badRequest, notFound } from "../http/errors.ts";
import { isDiskFull } from "../storage/disk-full.ts";
import type { Json, Timestamp } from "../values/types.ts";
import { integerJson } from "../transaction/query/filter.ts";
import { runExport } from "./snapshot-thread.ts";

/** A snapshot contains data that may have been deleted since. */
const KEPT_MS = 60 * 60 * 1_000;
const ATTEMPTS = 3;

type ExportState = { state: "requested" | "in_progress" | "failed" } | { state: "completed"; start: Timestamp; complete: Timestamp };

export type Exports = {
  /** Starts an export. @throws {RequestError} while another one or a backup runs */
  request(includeStorage: boolean): void;
  latest(): Json;
  /** @throws {RequestError} 404 for a snapshot that was not made or is no longer kept */
  open(start: string): Promise<{ stream: Readable; size: number; name: string }>;
  close(): Promise<void>;
};

export type ExportsOptions = {
  dir: string;
  fileBucket: FileBucketSettings | null;
  runner: Pick<FunctionRunner, "hold" | "release" | "latest">;
  onChange: () => void;
  report: (error: unknown) => void;
};

export async function createExports({ dir, fileBucket, runner, onChange, report }: ExportsOptions): Promise<Exports> {
  const folder = join(dir, "exports");
  // A client may still wait for an export that a restart interrupted.
  const wasInterrupted = await readdir(folder).then(
    (names) => names.length > 0,
    () => false,
  );
  await rm(folder, { recursive: true, force: true });
  const closing = new AbortController();
  let state: ExportState | null = wasInterrupted ? { state: "failed" } : null;
  let running = Promise.resolve();
  let expiry: NodeJS.Timeout | undefined;

  const pathOf = (start: Timestamp | string) => join(folder, `${start}.zip`);
  const set = (next: ExportState): void => {
    state = next;
    onChange();
  };

  async function write(includeStorage: boolean): Promise<void> {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const hold = await runner.hold();
      const start = runner.latest();
      let answer: Awaited<ReturnType<typeof runExport>>;
      let isUnbroken = false;
      try {
        const files = { databaseDir: dir, filesDir: join(dir, "files"), fileBucket, to: pathOf(start), includeStorage };
        answer = await runExport(dir, files, closing.signal);
      } finally {
        isUnbroken = await runner.release(hold).catch(() => false);
      }
      if (isUnbroken && !answer.ok) throw new Error(answer.message);
      if (isUnbroken) return set({ state: "completed", start, complete: runner.latest() });
      await rm(pathOf(start), { force: true });
    }
    throw new Error("A push or a restart interrupted each attempt.");
  }

  return {
    request(includeStorage) {
      if (state?.state === "requested" || state?.state === "in_progress")
        throw badRequest("A snapshot export is already in progress.", "ExportInProgress");
      const unlock = lockOr(dir);
      clearTimeout(expiry);
      set({ state: "in_progress" });
      running = write(includeStorage)
        .catch(async (error: unknown) => {
          await rm(folder, { recursive: true, force: true });
          if (!closing.signal.aborted) report(new Error(`The snapshot export failed: ${reasonOf(error)}`));
          set({ state: "failed" });
        })
        .finally(() => {
          unlock();
          expiry = setTimeout(() => void rm(folder, { recursive: true, force: true }).catch(report), KEPT_MS).unref();
        });
    },
    latest() {
      if (state?.state !== "completed") return state;
      const { start, complete } = state;
      return {
        state: "completed",
        start_ts: integerJson(start),
        complete_ts: integerJson(complete),
        zip_object_key: String(start),
      };
    },
    async open(start) {
      const path = pathOf(start);
      const found = /^\d+$/.test(start) ? await stat(path).catch(() => null) : null;
      if (!found || state?.state !== "completed" || String(state.start) !== start)
        throw notFound(`There is no snapshot ${start}. It is kept for an hour.`);
      return { stream: createReadStream(path), size: found.size, name: `snapshot_${start}.zip` };
    },
    async close() {
      clearTimeout(expiry);
      closing.abort();
      await running;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function lockOr(dir: string): () => void {
  try {
    return lockForBackup(dir);
  } catch {
    throw badRequest("A backup of this deployment is running. Try again when it has ended.", "BackupInProgress");
  }
}

function reasonOf(error: unknown): string {
  if (isDiskFull(error)) return "the disk is full.";
  return error instanceof Error ? error.message : String(error);
}
