/** Moves stored files between the disk and a bucket. A source is deleted only after its copy was read and compared. */
import { createWriteStream, existsSync } from "node:fs";
import { open, opendir, rm, statfs } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { S3Error } from "../../../s3/s3-error.ts";
import { verifyContent, verifyFile, differenceOf, FileDifference } from "../file-content.ts";
import type { FileRow, SendRequest } from "../../transactor/transactor-protocol.ts";
import type { Ownership } from "./bucket-owner.ts";
import type { FileBucketSettings } from "./bucket-settings.ts";
import type { FileBucket } from "./file-bucket.ts";
import { type FileCache, RESERVED_BYTES } from "./file-cache.ts";
import type { NameLocks } from "./name-locks.ts";

/** Each upload has two parts in memory. */
const MOVES_AT_ONCE = 2;
const CHUNK_BYTES = 1024 * 1024;

export type FileMoverOptions = {
  dir: string;
  settings: Pick<FileBucketSettings, "movesBack" | "location">;
  bucket: FileBucket;
  owner: Ownership;
  cache: FileCache;
  locks: NameLocks;
  transactor: { request: SendRequest };
  log: (line: string) => void;
};

export class FileMover {
  readonly #options: FileMoverOptions;
  readonly #folder: string;
  /** Files whose objects are proven, while a backup needs their local bytes. */
  readonly #proven = new Set<string>();
  readonly #damaged = new Set<string>();
  #isBack = false;
  #waiting: number | null = null;

  constructor(options: FileMoverOptions) {
    this.#options = options;
    this.#folder = join(options.dir, "files");
  }

  get waiting(): number | null {
    return this.#waiting;
  }

  /** Moves all files to the configured storage: the bucket or the disk. @throws {S3Error} and disk errors; the next pass continues */
  async pass(signal: AbortSignal): Promise<void> {
    if (this.#options.settings.movesBack) await this.#passBack(signal);
    else await this.#passOut(signal);
  }

  async #passOut(signal: AbortSignal): Promise<void> {
    const { owner } = this.#options;
    const count = await countEntries(this.#folder);
    this.#waiting = count;
    if (count === 0) {
      this.#proven.clear();
      return;
    }
    await owner.require();
    owner.markEmpty(false);
    await inParallel(namesIn(this.#folder), async (name) => {
      if (!signal.aborted && !this.#damaged.has(name)) await this.#options.locks.run(name, () => this.#moveOut(name));
    });
    this.#waiting = await countEntries(this.#folder);
  }

  async #moveOut(name: string): Promise<void> {
    const { owner, cache, transactor } = this.#options;
    const row = await transactor.request("findFile", { uuid: name });
    const path = join(this.#folder, name);
    if (!row || !existsSync(path)) return;
    try {
      if (!this.#proven.has(name)) await this.#prove(name, path, row);
    } catch (error) {
      if (!(error instanceof FileDifference)) throw error;
      if (error.isMissing) return;
      this.#damaged.add(name);
      await transactor.request("reportDamage", { what: `stored file ${name} ${error.what}` });
      return;
    }
    await owner.require();
    await cache.add(name, row.size, path).catch(() => undefined);
    const isReleased = await transactor.request("releaseLocal", { uuid: name });
    if (isReleased) this.#proven.delete(name);
    else if (await transactor.request("findFile", { uuid: name })) this.#proven.add(name);
    // The file was removed during the move. The removal of its object waits for this lock.
    else await cache.remove(name);
  }

  /** Stores the object, unless an interrupted move did, and reads it back. @throws {FileDifference} for the local file */
  async #prove(name: string, path: string, row: FileRow): Promise<void> {
    const { bucket, settings } = this.#options;
    const isStored = (await bucket.sizeOf(name)) === row.size && (await objectDifference(bucket, name, row)) === null;
    if (isStored) {
      const difference = await differenceOf(path, row);
      if (difference) throw difference;
      return;
    }
    await bucket.write(name, verifyFile(path, row, CHUNK_BYTES));
    const difference = await objectDifference(bucket, name, row);
    if (difference !== null)
      throw new Error(`file ${name} ${difference.what} when it is read from ${settings.location}`, { cause: difference });
  }

  async #passBack(signal: AbortSignal): Promise<void> {
    const { bucket, owner, transactor, settings, log } = this.#options;
    // While a backup runs, no object may be removed.
    if (this.#isBack || (await transactor.request("isHeld", null))) return;
    await owner.require();
    let waiting = 0;
    for await (const _ of bucket.list()) waiting += 1;
    this.#waiting = waiting;
    let [moved, others] = [0, 0];
    await inParallel(bucket.list(), async (name) => {
      if (signal.aborted) return;
      const isMoved = await this.#options.locks.run(name, () => this.#moveBack(name));
      if (isMoved) moved += 1;
      else others += 1;
      this.#waiting = Math.max(0, waiting - moved - others);
    });
    if (signal.aborted) return;
    let withRow = 0;
    for await (const uuid of bucket.list()) if (await transactor.request("findFile", { uuid })) withRow += 1;
    this.#waiting = withRow;
    if (withRow > 0) return;
    this.#isBack = true;
    owner.markEmpty(true);
    const rest = others > 0 ? ` ${others} objects without a row stay in the bucket.` : "";
    log(`All stored files are on the disk. Remove FILES_S3_* from the settings.${rest} ${settings.location} is no longer needed.`);
  }

  async #moveBack(name: string): Promise<boolean> {
    const { bucket, owner, cache, transactor } = this.#options;
    const row = await transactor.request("findFile", { uuid: name });
    if (!row) return false;
    const path = join(this.#folder, name);
    const existing = existsSync(path) ? await differenceOf(path, row) : new FileDifference("is missing", { isMissing: true });
    if (existing) await this.#fetch(name, row);
    if (!existsSync(path) || (await transactor.request("isHeld", null))) return false;
    await owner.require();
    await bucket.remove(name);
    await cache.remove(name);
    return true;
  }

  async #fetch(name: string, row: FileRow): Promise<void> {
    const { dir, bucket, transactor, settings } = this.#options;
    const { bavail, bsize } = await statfs(dir);
    if (bavail * bsize < row.size + RESERVED_BYTES) throw new Error(`the disk of ${dir} has too little free space`);
    const temporary = join(dir, "uploads", randomUUID());
    try {
      await pipeline(verifyContent(bucket.read(name, row.size), row), createWriteStream(temporary, { mode: 0o600, flags: "wx" }));
      await sync(temporary);
      await transactor.request("placeLocal", { uuid: name, temporary });
    } catch (error) {
      if (error instanceof FileDifference)
        throw new Error(`file ${name} ${error.what} when it is read from ${settings.location}`, { cause: error });
      throw error;
    } finally {
      await rm(temporary, { force: true });
    }
  }
}

async function objectDifference(bucket: FileBucket, name: string, row: FileRow): Promise<FileDifference | null> {
  try {
    for await (const _ of verifyContent(bucket.read(name, row.size), row));
    return null;
  } catch (error) {
    if (error instanceof FileDifference) return error;
    if (error instanceof S3Error && error.code === "NoSuchKey") return new FileDifference("is missing", { isMissing: true });
    throw error;
  }
}

async function sync(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

async function* namesIn(folder: string): AsyncGenerator<string> {
  for await (const { name } of await opendir(folder)) yield name;
}

async function countEntries(folder: string): Promise<number> {
  let count = 0;
  for await (const _ of namesIn(folder)) count += 1;
  return count;
}

async function inParallel<T>(source: AsyncGenerator<T>, work: (item: T) => Promise<void>): Promise<void> {
  let hasFailed = false;
  const next = async (): Promise<void> => {
    while (!hasFailed) {
      const { value, done } = await source.next();
      if (done) return;
      try {
        await work(value);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  const results = await Promise.allSettled(Array.from({ length: MOVES_AT_ONCE }, next));
  await source.return(undefined);
  for (const result of results) if (result.status === "rejected") throw result.reason;
}
