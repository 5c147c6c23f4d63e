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
/** Value of `PRAGMA auto_vacuum`. */
const INCREMENTAL = 2;
const PAGES_PER_STEP = 16;
const COMPACTED_PAGES_IN_LOG = 500;
/** Free pages below both limits are kept for new data. */
const FREE_PAGES_KEPT = 1_024;
const FREE_SHARE_KEPT = 0.25;
/** Truncates the log, returns free pages to the file system, and clears unused bytes within seconds of a deletion. */
export class Checkpoints {
  private readonly sql: DatabaseSync;
  private readonly logPath: string;
  private readonly unused: UnusedBytes;
  private readonly canShrink: boolean;
  private paused = false;
  private hasDeletions = false;
  private batches = 0;
  private lastTruncation = 0;

  constructor(sql: DatabaseSync, dir: string) {
    this.sql = sql;
    this.logPath = logPathIn(dir);
    const [pageSize, autoVacuum] = ["page_size", "auto_vacuum"].map((name) => this.pragma(name));
    this.canShrink = autoVacuum === INCREMENTAL;
    this.unused = openUnusedBytes(join(dir, FILE_NAME), { pageSize: pageSize ?? 0, hasPointerMap: autoVacuum !== 0 });
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
    if (this.framesInLog() >= PAGES_BETWEEN_CHECKPOINTS) this.checkpoint("RESTART");
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

  get hasManyFreePages(): boolean {
    const free = this.canShrink ? this.pragma("freelist_count") : 0;
    return free >= FREE_PAGES_KEPT && free > this.pragma("page_count") * FREE_SHARE_KEPT;
  }

  /** Moves the last pages into free ones, inside the caller's transaction. Returns whether free pages remain. */
  compactSlice(): boolean {
    const end = elapsed() + SLICE_MS;
    let free = this.pragma("freelist_count");
    while (free > 0 && elapsed() < end) {
      this.sql.exec(`PRAGMA incremental_vacuum(${PAGES_PER_STEP})`);
      free = this.pragma("freelist_count");
    }
    return free > 0;
  }

  /** Bounds the time of the checkpoint that follows a slice. */
  get hasLongLog(): boolean {
    return this.framesInLog() >= COMPACTED_PAGES_IN_LOG;
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

  private framesInLog(): number {
    return Number(Object.values(this.sql.prepare("PRAGMA wal_checkpoint(NOOP)").get() ?? {})[1]);
  }

  private pragma(name: string): number {
    return Number(this.sql.prepare(`PRAGMA ${name}`).get()?.[name]);
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
