import type { DatabaseSync } from "node:sqlite";
import { textIndexes } from "../search/text-index.ts";
import { openAnswers } from "../storage/answers.ts";
import { openCatalog } from "../storage/catalog.ts";
import { openClock } from "../storage/clock.ts";
import { documentStore } from "../storage/documents.ts";
import { checkpointAndPause, openFile, resumeCheckpoints } from "../storage/file.ts";
import { openSettings } from "../storage/settings.ts";
import { StorageError } from "../values/errors.ts";
import type { Json, Timestamp } from "../values/types.ts";
import { applyChanges } from "./commit.ts";
import { History } from "./history.ts";
import { Overlay } from "./overlay.ts";
import { Schema } from "./schema.ts";
import { buildIndexes, prepareSchema, type Prepared } from "./schema-change.ts";
import { Subscriptions } from "./subscriptions.ts";
import { DataTransaction, type Ground } from "./transaction.ts";
import type { Commit, Database, IdempotencyRecord, PreparedSchema, ReadSet, Settings, Transaction } from "./types.ts";

/** Where the schema in force is kept among the settings. */
const SCHEMA = "_schema";
const CLEAN_EVERY_MS = 60 * 60 * 1000;
/** Kept from before anything could freeze or replace it for the functions that run on this thread. */
const wallClock = Date.now.bind(Date);

/**
 * Opens the data in `dir`, or makes it. `now` is the wall clock in milliseconds (tests set it back).
 * @throws StorageError when another process has it open, or when it was written by a newer version.
 */
export function openDatabase(dir: string, options: { now?: () => number } = {}): Database {
  return new FileDatabase(openFile(dir), options.now ?? wallClock);
}

class FileDatabase implements Database {
  readonly settings: Settings;
  private readonly sql: DatabaseSync;
  private readonly ground: Ground;
  private readonly answers: ReturnType<typeof openAnswers>;
  private readonly subscriptions = new Subscriptions();
  /** Told as affected since the last flush: gone then, but here again should the batch fail. */
  private readonly told = new Set<string>();
  private history: History;
  /** The newest commit that is durable. */
  private durable: Timestamp;
  private openMutation: DataTransaction | null = null;
  private batchIsOpen = false;
  /** Why the batch failed that is being filled; told at every commit to it, and at its flush. */
  private failure: StorageError | null = null;
  private cleanAfter = 0;

  constructor(sql: DatabaseSync, now: () => number) {
    this.sql = sql;
    const catalog = openCatalog(sql);
    const store = documentStore(sql);
    const clock = openClock(sql, now);
    this.settings = openSettings(sql, (write) => this.written(write));
    this.answers = openAnswers(sql);
    this.ground = {
      store,
      catalog,
      clock,
      schema: this.readSchema(catalog),
      countStored: (index) => store.count(index.id),
      texts: textIndexes(sql),
      undone: (work) => this.undone(work),
    };
    if (clock.latest() === 0n) {
      this.openBatch();
      catalog.storeSystemTables();
      clock.tick();
      this.closeBatch();
    }
    this.durable = clock.latest();
    this.history = new History(this.durable);
  }

  latest(): Timestamp {
    return this.ground.clock.latest();
  }

  beginQuery(at?: Timestamp): Transaction {
    const latest = this.latest();
    const overlay = at === undefined || at === latest ? new Overlay() : this.history.overlayAt(at, latest);
    return new DataTransaction("query", at ?? latest, overlay, this.ground);
  }

  beginMutation(): Transaction {
    if (this.openMutation !== null) throw new Error("Mutations run one at a time: another one has not been committed or rolled back.");
    this.openMutation = new DataTransaction("mutation", this.latest(), new Overlay(), this.ground);
    return this.openMutation;
  }

  commit(transaction: Transaction, record?: IdempotencyRecord): Commit {
    const mutation = this.openMutation;
    if (mutation === null || mutation !== transaction) throw new Error("Only the open mutation can be committed.");
    this.openMutation = null;
    if (mutation.overlay.isEmpty && record === undefined) return { ts: this.latest(), affected: [] };
    return this.written(() => {
      const affected = new Set<string>();
      const ts = this.ground.clock.tick();
      const changes = applyChanges(mutation.overlay.all(), ts, this.ground, this.subscriptions, affected);
      if (record !== undefined) this.answers.insert(record, ts);
      this.history.add(ts, changes);
      const news = [...affected].filter((token) => !this.told.has(token));
      for (const token of news) this.told.add(token);
      return { ts, affected: news };
    });
  }

  rollback(transaction: Transaction): void {
    if (transaction === this.openMutation) this.openMutation = null;
  }

  flush(): void {
    try {
      if (this.failure !== null) throw this.failure;
      if (!this.batchIsOpen) return;
      this.written(() => {
        this.cleanAnswers();
        this.closeBatch();
      });
    } finally {
      this.failure = null;
    }
    for (const token of this.told) this.subscriptions.remove(token);
    this.told.clear();
    this.durable = this.latest();
  }

  recorded(sessionId: string, requestId: number): { ts: Timestamp; result: string } | undefined {
    return this.answers.find(sessionId, requestId);
  }

  subscribe(token: string, readSet: ReadSet): void {
    this.told.delete(token);
    this.subscriptions.add(token, readSet);
  }

  unsubscribe(token: string): void {
    this.told.delete(token);
    this.subscriptions.remove(token);
  }

  prepareSchema(schema: Json | null): PreparedSchema {
    return prepareSchema(schema, this.ground, this.latest());
  }

  applySchema(prepared: PreparedSchema): void {
    const checked: Prepared = prepareSchema(prepared.schema, this.ground, this.latest(), prepared);
    this.written(() => {
      buildIndexes(checked, this.ground);
      this.settings.set(SCHEMA, JSON.stringify(checked.schema));
      this.ground.clock.tick();
    });
    this.ground.schema = checked.parsed;
  }

  tables(): { name: string; number: number }[] {
    return this.ground.catalog.list().flatMap(({ name, number, stored }) => (stored ? [{ name, number }] : []));
  }

  tableOf(id: string): string | null {
    return this.ground.catalog.tableOf(id)?.name ?? null;
  }

  holdFile(on: boolean): void {
    if (!on) return resumeCheckpoints(this.sql);
    this.flush();
    checkpointAndPause(this.sql);
  }

  close(): void {
    if (!this.sql.isOpen) return;
    try {
      this.flush();
    } finally {
      this.sql.close();
    }
  }

  private readSchema(catalog: Ground["catalog"]): Schema {
    const text = this.settings.get(SCHEMA);
    const json: Json = text === undefined ? null : JSON.parse(text);
    return new Schema(json, { tableOf: (id) => catalog.tableOf(id)?.name ?? null });
  }

  private openBatch(): void {
    if (!this.batchIsOpen) this.sql.exec("BEGIN IMMEDIATE");
    else if (!this.sql.isTransaction) throw new StorageError("SQLite gave up the batch.");
    this.batchIsOpen = true;
  }

  private closeBatch(): void {
    this.ground.clock.save();
    this.sql.exec("COMMIT");
    this.batchIsOpen = false;
  }

  private cleanAnswers(): void {
    const now = this.ground.clock.now();
    if (now < this.cleanAfter) return;
    const more = this.answers.clean(this.latest());
    this.cleanAfter = more ? now : now + CLEAN_EVERY_MS;
  }

  /**
   * Writes into the open batch, or opens one. When that fails, nothing of the batch happened: file and memory go back to the last
   * flush, and whatever else is written before the next one fails alike, so that nobody of the batch is told of a success.
   */
  private written<T>(write: () => T): T {
    if (this.failure !== null) throw this.failure;
    try {
      this.openBatch();
      return write();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.failure = new StorageError(`Writing failed, nothing since the last flush was kept: ${reason}`, error);
      this.forgetBatch();
      throw this.failure;
    }
  }

  private forgetBatch(): void {
    this.batchIsOpen = false;
    if (this.sql.isTransaction) this.sql.exec("ROLLBACK");
    const { catalog, clock, texts } = this.ground;
    catalog.load();
    clock.load();
    texts.forget();
    this.ground.schema = this.readSchema(catalog);
    this.history.truncate(this.durable);
    this.told.clear();
  }

  /** Outside a batch the savepoint is a transaction of its own; either way nothing of it is kept. */
  private undone<T>(work: () => T): T {
    this.sql.exec("SAVEPOINT undone");
    try {
      return work();
    } finally {
      this.sql.exec("ROLLBACK TO undone; RELEASE undone");
    }
  }
}
