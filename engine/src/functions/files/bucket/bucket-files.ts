/** Stored files in a bucket. New files are first stored on the disk, like their rows, and moved to the bucket in the background. */
import { createWriteStream, existsSync } from "node:fs";
import { access } from "node:fs/promises";
import { basename, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { S3Error } from "../../../s3/s3-error.ts";
import { isDiskFull } from "../../../storage/disk-full.ts";
import { verifyContent, FileDifference } from "../file-content.ts";
import { FileUnavailableError, type FileBytes, type FileRowOnDisk } from "../local-copy.ts";
import type { SendRequest } from "../../transactor/transactor-protocol.ts";
import { claimBucket } from "./bucket-owner.ts";
import type { FileBucketSettings } from "./bucket-settings.ts";
import { FileBucket } from "./file-bucket.ts";
import { FileCache } from "./file-cache.ts";
import { FileMover } from "./file-mover.ts";
import { NameLocks } from "./name-locks.ts";
import { removeObjects } from "./remove-objects.ts";
import { quarantineStrayObjects } from "./stray-objects.ts";

export type BucketFilesOptions = {
  dir: string;
  settings: FileBucketSettings;
  transactor: { request: SendRequest };
  hasAcceptedLoss: boolean;
  log: (line: string) => void;
};

const START_TIMING = { silenceMs: 5_000, attempts: 2 };
const DOWNLOAD_ATTEMPTS = 2;
const IDLE_MS = 5_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
const LOG_AGAIN_MS = 60_000;
const DAY_MS = 24 * 60 * 60_000;

/** @throws {StorageError} when the bucket cannot be used or belongs to another copy of a deployment */
export async function openBucketFiles({ dir, settings, transactor, hasAcceptedLoss, log }: BucketFilesOptions): Promise<FileBytes> {
  const { location, movesBack, timing } = settings;
  const closing = new AbortController();
  const { signal } = closing;
  const bucket = new FileBucket(settings, signal);
  const owner = await claimBucket({
    dir,
    bucket: new FileBucket({ ...settings, timing: { ...START_TIMING, ...timing } }),
    deployment: await transactor.request("deploymentId", null),
    settings,
    log,
  });
  const cache = await FileCache.open({ folder: join(dir, "file-cache"), maxBytes: settings.cacheBytes });
  const locks = new NameLocks();
  const mover = new FileMover({ dir, settings, bucket, owner, cache, locks, transactor, log });
  let problem: string | null = null;
  let kick = Promise.withResolvers<void>();
  const localPath = (file: Pick<FileRowOnDisk, "path">) => join(dir, "files", basename(file.path));

  const logged = new LRUCache<string, true>({ max: 1000, ttl: LOG_AGAIN_MS });
  function logOnce(line: string): void {
    if (!logged.has(line)) log(line);
    logged.set(line, true, { noUpdateTTL: true });
  }

  /** Downloads and compares a file. Wrong bytes are fetched once more, because a connection may have changed them. */
  async function download(file: FileRowOnDisk, to: string): Promise<void> {
    const name = basename(file.path);
    for (let attempt = 1; ; attempt += 1) {
      try {
        await pipeline(verifyContent(bucket.read(name, file.size), file), createWriteStream(to, { mode: 0o600 }));
        break;
      } catch (error) {
        if (error instanceof S3Error && error.code === "NoSuchKey") throw new FileDifference("is missing", { isMissing: true });
        if (error instanceof FileDifference && attempt < DOWNLOAD_ATTEMPTS) continue;
        if (error instanceof FileDifference) logOnce(`Stored file ${name} in ${location} ${error.what}. It is not served.`);
        if (error instanceof S3Error) logOnce(`Stored files cannot be read from ${location}, because ${error.reason}.`);
        throw isDiskFull(error) ? error : new FileUnavailableError(error);
      }
    }
    // The bytes of a file that was removed meanwhile must not stay in the cache.
    if (!(await transactor.request("findFile", { uuid: name }))) throw new FileDifference("is missing", { isMissing: true });
  }

  let isSwept = false;
  let abandonedSince = -Infinity;
  async function maintain(): Promise<void> {
    await removeObjects({ bucket, owner, cache, locks, transactor, signal });
    if (!isSwept && !signal.aborted) {
      await quarantineStrayObjects({ bucket, owner, transactor, acceptsLoss: hasAcceptedLoss || owner.hasTakenOver, log, signal });
      isSwept = true;
    }
    if (performance.now() - abandonedSince > DAY_MS && !signal.aborted) {
      await bucket.abortAbandoned();
      abandonedSince = performance.now();
    }
    await mover.pass(signal);
  }

  async function run(): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      kick = Promise.withResolvers();
      try {
        await maintain();
        if (problem !== null) log(`${location} can be used again.`);
        problem = null;
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        const reason = reasonOf(error);
        if (reason !== problem) log(`Files cannot be moved to or from ${location}, because ${reason}. The deployment tries again.`);
        problem = reason;
      }
      const pauseMs = failures > 0 ? Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS) : IDLE_MS;
      const pause = new AbortController();
      const waited = sleep(timing?.idleMs ?? pauseMs, undefined, { ref: false, signal: AbortSignal.any([signal, pause.signal]) });
      await Promise.race([waited.catch(() => undefined), ...(failures > 0 ? [] : [kick.promise])]);
      pause.abort();
    }
  }
  const running = run();

  return {
    async acquire(file) {
      const local = localPath(file);
      const isLocal = () =>
        access(local).then(
          () => true,
          () => false,
        );
      const onDisk = { path: local, isCached: false, release() {} };
      if (await isLocal()) return onDisk;
      try {
        return await cache.fetch(basename(file.path), file.size, (to) => download(file, to));
      } catch (error) {
        if (error instanceof FileDifference && error.isMissing && existsSync(local)) return onDisk;
        throw error;
      }
    },
    discard: (file) => cache.remove(basename(file.path)),
    stored: () => kick.resolve(),
    status: () => ({
      location,
      movesBack,
      waitingFiles: mover.waiting,
      cachedFiles: cache.files,
      cachedBytes: cache.bytes,
      cacheLimitBytes: cache.maxBytes,
      problem,
    }),
    async close() {
      closing.abort();
      kick.resolve();
      await running;
    },
  };
}

const reasonOf = (error: unknown): string => {
  if (error instanceof S3Error) return error.reason;
  return error instanceof Error ? error.message.replace(/\.$/, "") : String(error);
};
