import { existsSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { StorageError } from "../values/errors.ts";
import { FILE_NAME } from "./file.ts";
import { openUnusedBytes, type UnusedBytes } from "./unused-bytes.ts";
import { elapsed } from "../elapsed.ts";

const PAGES_BETWEEN_CHECKPOINTS = 12_000;
const BATCHES_BETWEEN_CHECKS = 32;
const HOUR_MS = 60 * 60 * 1000;
const SLICE_MS = 5;
/** Truncates the log and clears unused bytes within seconds of a deletion. */
export class Checkpoints {
  private readonly sql: DatabaseSync;
  private readonly logPath: string;
  private readonly unused: UnusedBytes;
  private paused = false;
  private hasDeletions = false;
  private batches = 0;
  private lastTruncation = 0;

  constructor(sql: DatabaseSync, dir: string) {
    this.sql = sql;
    this.logPath = logPathIn(dir);
    this.unused = openUnusedBytes(join(dir, FILE_NAME), Number(sql.prepare("PRAGMA page_size").get()?.["page_size"]));
  }

  recordEarlierDeletions(): void {
    this.hasDeletions = true;
    this.unused.addAllPages();
  }

  recordDeletion(): void {
    this.hasDeletions = true;
  }

  afterBatch(): void {
    this.batches += 1;
    if (this.paused || this.batches % BATCHES_BETWEEN_CHECKS !== 0) return;
    const frames = Number(Object.values(this.sql.prepare("PRAGMA wal_checkpoint(NOOP)").get() ?? {})[1]);
    if (frames >= PAGES_BETWEEN_CHECKPOINTS) this.checkpoint("RESTART");
  }

  isDue(now: number): boolean {
    return this.hasDeletions || now - this.lastTruncation > HOUR_MS;
  }

  get isPaused(): boolean {
    return this.paused;
  }

  get unusedPages(): number {
    return this.unused.count;
  }

  get hasUnusedBytes(): boolean {
    return this.unused.isDue;
  }

  /** Call it outside a transaction, and not while paused. */
  truncate(now: number): void {
    this.checkpoint("TRUNCATE");
    this.hasDeletions = false;
    this.lastTruncation = now;
  }

  clearSlice(): boolean {
    const end = elapsed() + SLICE_MS;
    return this.unused.clear(() => elapsed() > end);
  }

  pause(): void {
    this.checkpoint("TRUNCATE");
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
  }

  finish(): void {
    this.checkpoint("TRUNCATE");
    this.unused.clear(() => false);
  }

  /** Call it after SQLite has closed the file (`openUnusedBytes`). */
  close(): void {
    this.unused.close();
  }

  private checkpoint(mode: "RESTART" | "TRUNCATE"): void {
    this.unused.addPagesInLog(this.logPath);
    const [busy] = Object.values(this.sql.prepare(`PRAGMA wal_checkpoint(${mode})`).get() ?? {});
    if (busy !== 0) throw new StorageError("The log could not be written into the data file.");
  }
}

/** Returns whether SQLite closed the file, which removes the log. Call it before the file is opened. */
export const wasClosedIn = (dir: string): boolean => !existsSync(logPathIn(dir));

const logPathIn = (dir: string) => join(dir, `${FILE_NAME}-wal`);
