import { writeSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { openTextIndexes } from "../search/text-index.ts";
import { openVectorIndexes } from "../search/vector-index.ts";
import { openIdempotencyRecords } from "../storage/idempotency-records.ts";
import { openCatalog } from "../storage/catalog.ts";
import { openClock } from "../storage/clock.ts";
import { damageIn } from "../storage/damage.ts";
import { documentStore } from "../storage/documents.ts";
import { isDiskFull } from "../storage/disk-full.ts";
import { Checkpoints, wasClosedIn } from "../storage/checkpoints.ts";
import { openFile } from "../storage/file.ts";
import { openSettings } from "../storage/settings.ts";
import { DiskFullError, StorageError, type DamagedDataError } from "../values/errors.ts";
import type { Json, Timestamp } from "../values/types.ts";
import { applyChanges } from "./commit.ts";
import { History } from "./history.ts";
import { applyImport, checkImport, importedFiles, removedFileIds, type ImportedFile } from "./import/apply-import.ts";
import { importTarget, lastImport, storeLastImport, type ImportTarget } from "./import/import-target.ts";
import { readPlan } from "./import/staged-import.ts";
import { Overlay } from "./overlay.ts";
import { quickCheck } from "./integrity/quick-check.ts";
import { Schemas, storeSchema } from "./schema/schemas.ts";
import { buildIndexes, hasOutdatedTexts, prepareSchema, rebuildOutdatedTexts, type Prepared } from "./schema/schema-change.ts";
import { searchSlice, type VectorResults, type VectorSliceRequest } from "./query/vector-search.ts";
import { Subscriptions } from "./subscriptions.ts";
import { DataTransaction, type StorageContext } from "./transaction.ts";
import type { Commit, Database, IdempotencyRecord, PreparedSchema, ReadSet, Settings, Transaction } from "./types.ts";

const APP = "";
const CLEAN_EVERY_MS = 60 * 60 * 1000;
/** Saved, because functions on this thread may freeze or replace it. */
const wallClock = Date.now.bind(Date);

/** Opens the database. `check` receives the newest commit before any write. @throws StorageError when locked, or for a newer format */
export function openDatabase(dir: string, options: DatabaseOptions = {}): Database {
  const wasClosed = wasClosedIn(dir);
  const sql = openFile(dir);
  const checkpoints = new Checkpoints(sql, dir);
  try {
    const database = new FileDatabase(sql, checkpoints, options);
    if (!wasClosed) database.recordEarlierDeletions();
    return database;
  } catch (error) {
    sql.close();
    checkpoints.close();
    throw error;
  }
}

type DatabaseOptions = {
  now?: (() => number) | undefined;
  check?: ((latest: Timestamp) => void) | undefined;
  quick?: boolean;
  onProgress?: (() => void) | undefined;
};

class FileDatabase implements Database {
  readonly settings: Settings;
  private readonly sql: DatabaseSync;
  private readonly checkpoints: Checkpoints;
  private readonly context: StorageContext;
  private readonly answers: ReturnType<typeof openIdempotencyRecords>;
  private readonly subscriptions = new Subscriptions();
  private readonly notified = new Set<string>();
  private history: History;
  private durable: Timestamp;
  private openMutation: DataTransaction | null = null;
  private batchIsOpen = false;
  private failure: StorageError | null = null;
  private cleanAfter = 0;
  private damage: DamagedDataError | null = null;
  private clearing = false;
  private compacting = false;

  constructor(
    sql: DatabaseSync,
    checkpoints: Checkpoints,
    { now = wallClock, check, quick = false, onProgress = () => undefined }: DatabaseOptions,
  ) {
    this.sql = sql;
    this.checkpoints = checkpoints;
    const catalog = openCatalog(sql);
    const store = documentStore(sql);
    const clock = openClock(sql, now);
    check?.(clock.latest());
    this.settings = openSettings(sql, (write) => this.written(write));
    this.answers = openIdempotencyRecords(sql);
    this.context = {
      store,
      catalog,
      clock,
      schemas: Schemas.read(this.settings, catalog),
      countStored: (index) => store.count(index.id),
      textIndexes: openTextIndexes(sql),
      vectorIndexes: openVectorIndexes(sql),
      undone: (work) => this.undone(work),
      reportProgress: onProgress,
    };
    if (clock.latest() === 0n) {
      this.openBatch();
      catalog.storeSystemTables(APP);
      clock.tick();
      this.closeBatch();
    }
    if (hasOutdatedTexts(this.context)) {
      this.openBatch();
      rebuildOutdatedTexts(this.context);
      this.closeBatch();
    }
    if (quick) quickCheck(sql, catalog);
    this.durable = clock.latest();
    this.history = new History(this.durable);
  }

  latest(): Timestamp {
    return this.context.clock.latest();
  }

  beginQuery(at?: Timestamp): Transaction {
    const latest = this.latest();
    const overlay = at === undefined || at === latest ? new Overlay() : this.history.overlayAt(at, latest);
    return new DataTransaction("query", at ?? latest, overlay, this.context);
  }

  beginMutation(): Transaction {
    this.assertNoOpenMutation();
    this.openMutation = new DataTransaction("mutation", this.latest(), new Overlay(), this.context);
    return this.openMutation;
  }

  commit(transaction: Transaction, record?: IdempotencyRecord): Commit {
    const mutation = this.openMutation;
    if (mutation === null || mutation !== transaction) throw new Error("Only the open mutation can be committed.");
    this.openMutation = null;
    if (mutation.overlay.isEmpty && record === undefined) return { ts: this.latest(), affected: [] };
    return this.written(() => {
      const affected = new Set<string>();
      const ts = this.context.clock.tick();
      const changes = applyChanges(mutation.overlay.all(), ts, this.context, this.subscriptions, affected);
      if (record !== undefined) this.answers.insert(record, ts);
      this.history.add(ts, changes);
      if (changes.some(({ before }) => before !== null)) this.checkpoints.recordDeletion();
      const newTokens = [...affected].filter((token) => !this.notified.has(token));
      for (const token of newTokens) this.notified.add(token);
      return { ts, affected: newTokens };
    });
  }

  vectorSlice(request: VectorSliceRequest): VectorResults | null {
    const latest = this.latest();
    const at = request.at ?? latest;
    if (at > latest || !this.history.has(at)) return null;
    const overlay = at === latest ? new Overlay() : this.history.overlayAt(at, latest);
    return searchSlice({ ...request, at }, overlay, this.context);
  }

  rollback(transaction: Transaction): void {
    if (transaction === this.openMutation) this.openMutation = null;
  }

  suspend(transaction: Transaction, token: string): void {
    this.rollback(transaction);
    this.subscribe(token, transaction.readSet());
  }

  commitSuspended(transaction: Transaction, token: string, record?: IdempotencyRecord): Commit {
    if (!(transaction instanceof DataTransaction)) throw new Error("Only a mutation of this database can be committed.");
    this.assertNoOpenMutation();
    this.unsubscribe(token);
    this.openMutation = transaction;
    return this.commit(transaction, record);
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
    for (const token of this.notified) this.subscriptions.remove(token);
    this.notified.clear();
    this.durable = this.latest();
    this.checkpoints.afterBatch();
  }

  /** Schedules the erasure of deleted data that a killed process may have left. */
  recordEarlierDeletions(): void {
    this.checkpoints.recordEarlierDeletions();
    for (const { searchIndexes } of this.context.catalog.list())
      for (const index of searchIndexes.values()) this.context.textIndexes.recordDeletion(index);
  }

  checkpoint(): boolean {
    this.history.evictOld(this.context.clock.timestamp());
    if (this.damage !== null) return false;
    this.flush();
    if (this.checkpoints.isPaused) return false;
    this.clearing ||= this.context.textIndexes.needRewrite || this.checkpoints.isDue(wallClock());
    this.compacting ||= this.checkpoints.hasManyFreePages;
    return this.clearing || this.compacting || this.checkpoints.hasUnusedBytes;
  }

  clearDeleted(): boolean {
    if (this.damage !== null || this.checkpoints.isPaused) return false;
    if (this.clearing && this.context.textIndexes.needRewrite) {
      this.written(() => this.context.textIndexes.rewriteSome());
    } else if (this.clearing) {
      this.flush();
      this.checkpoints.truncate(wallClock());
      this.clearing = false;
    } else if (this.compacting) {
      this.compact();
    } else {
      return this.checkpoints.clearSlice();
    }
    return true;
  }

  private compact(): void {
    this.written(() => {
      this.compacting = this.checkpoints.compactSlice();
    });
    this.flush();
    if (!this.compacting || this.checkpoints.hasLongLog) this.clearing = true;
  }

  get isDamaged(): boolean {
    return this.damage !== null;
  }

  reportDamage(error: unknown): Error | null {
    const damage = damageIn(error);
    if (damage === null) return null;
    if (this.damage === null) writeSync(2, `${damage.message}\n`);
    this.damage ??= damage;
    return this.damage;
  }

  recorded(sessionId: string, requestId: number): { ts: Timestamp; result: string } | undefined {
    return this.answers.find(sessionId, requestId);
  }

  subscribe(token: string, readSet: ReadSet): void {
    this.notified.delete(token);
    this.subscriptions.add(token, readSet);
  }

  unsubscribe(token: string): void {
    this.notified.delete(token);
    this.subscriptions.remove(token);
  }

  prepareSchema(schema: Json | null, component = APP): PreparedSchema {
    return prepareSchema({ schema, component }, this.context, this.latest());
  }

  applySchema(prepared: PreparedSchema): void {
    const checked: Prepared = prepareSchema(prepared, this.context, this.latest(), prepared);
    this.written(() => {
      buildIndexes(checked, this.context);
      storeSchema(this.settings, checked.component, checked.schema);
      this.context.clock.tick();
    });
    this.context.schemas.set(checked.component, checked.parsed);
  }

  tables(): { component: string; name: string; number: number }[] {
    return this.context.catalog.list().flatMap(({ component, name, number, stored }) => (stored ? [{ component, name, number }] : []));
  }

  components(): string[] {
    return this.context.catalog.components();
  }

  importTarget(): ImportTarget {
    return importTarget(this.context, this.settings);
  }

  applyImport(path: string, onFiles: (imported: ImportedFile[], removed: string[]) => void): number {
    this.assertNoOpenMutation();
    this.flush();
    this.sql.prepare("ATTACH ? AS staged").run(`${pathToFileURL(path).href}?immutable=1`);
    try {
      const importing = { sql: this.sql, context: this.context, settings: this.settings };
      const plan = readPlan(this.sql);
      if (lastImport(this.settings)?.id === plan.id) return plan.documents;
      checkImport(plan, importing);
      this.written(() => {
        onFiles(importedFiles(plan, this.sql), removedFileIds(plan, importing));
        applyImport(plan, importing);
        storeLastImport(this.settings, plan);
        this.context.clock.tick();
      });
      this.checkpoints.recordDeletion();
      this.flush();
      return plan.documents;
    } finally {
      if (!this.sql.isTransaction) this.sql.exec("DETACH staged");
    }
  }

  sizes(): Record<string, number> {
    return {
      history_commits: this.history.size,
      subscriptions: this.subscriptions.size,
      unused_pages: this.checkpoints.unusedPages,
      search_texts: this.context.textIndexes.cachedTextCount,
    };
  }

  tableOf(id: string): string | null {
    return this.context.catalog.namespace(APP).tableOf(id)?.name ?? null;
  }

  componentOf(id: string): string {
    return this.context.catalog.tableOf(id)?.component ?? APP;
  }

  holdFile(on: boolean): void {
    if (!on) return this.checkpoints.resume();
    this.flush();
    this.checkpoints.pause();
  }

  close(): void {
    if (!this.sql.isOpen) return;
    try {
      this.flush();
      while (this.damage === null && this.context.textIndexes.needRewrite) this.written(() => this.context.textIndexes.rewriteSome());
      this.flush();
      this.checkpoints.finish();
    } finally {
      this.sql.close();
      this.checkpoints.close();
    }
  }

  private assertNoOpenMutation(): void {
    if (this.openMutation !== null) throw new Error("Mutations run one at a time: another one has not been committed or rolled back.");
  }

  private openBatch(): void {
    if (!this.batchIsOpen) this.sql.exec("BEGIN IMMEDIATE");
    else if (!this.sql.isTransaction) throw new StorageError("SQLite rolled back the batch.");
    this.batchIsOpen = true;
  }

  private closeBatch(): void {
    this.context.clock.save();
    this.sql.exec("COMMIT");
    this.batchIsOpen = false;
  }

  private cleanAnswers(): void {
    const now = this.context.clock.now();
    if (now < this.cleanAfter) return;
    const more = this.answers.clean(this.latest());
    this.cleanAfter = more ? now : now + CLEAN_EVERY_MS;
  }

  /** A failure undoes everything since the last flush, and further writes fail until then, so that no caller receives a success. */
  private written<T>(write: () => T): T {
    if (this.damage !== null) throw this.damage;
    if (this.failure !== null) throw this.failure;
    try {
      this.openBatch();
      return write();
    } catch (error) {
      this.reportDamage(error);
      const reason = error instanceof Error ? error.message : String(error);
      const Failure = isDiskFull(error) ? DiskFullError : StorageError;
      this.failure = this.damage ?? new Failure(`Writing failed, nothing since the last flush was kept: ${reason}`, error);
      this.resetAfterFailedBatch();
      throw this.failure;
    }
  }

  private resetAfterFailedBatch(): void {
    this.batchIsOpen = false;
    if (this.sql.isTransaction) this.sql.exec("ROLLBACK");
    const { catalog, clock, textIndexes, vectorIndexes } = this.context;
    catalog.load();
    clock.load();
    textIndexes.clearCaches();
    vectorIndexes.clearCaches();
    this.context.schemas = Schemas.read(this.settings, catalog);
    this.history.truncate(this.durable);
    this.notified.clear();
  }

  private undone<T>(work: () => T): T {
    this.sql.exec("SAVEPOINT undone");
    try {
      return work();
    } finally {
      this.sql.exec("ROLLBACK TO undone; RELEASE undone");
    }
  }
}
