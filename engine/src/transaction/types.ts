/** Used synchronously on the transactor thread. Transactions run one at a time; only suspended ones can conflict. */
import type { Json, Timestamp } from "../values/types.ts";
import type { VectorResults, VectorSliceRequest } from "./query/vector-search.ts";
import type { ImportedFile } from "./import/apply-import.ts";
import type { ImportTarget } from "./import/import-target.ts";
import type { IndexDefinition } from "./schema/schema.ts";

/** Keys k with low <= k < high, in the index's sortable bytes. */
export type ReadRange = { index: number; low: Uint8Array; high: Uint8Array | null };
export type ReadSet = readonly ReadRange[];

export type Usage = {
  documentsRead: number;
  bytesRead: number;
  documentsWritten: number;
  bytesWritten: number;
  indexRanges: number;
  scheduled: number;
  scheduledArgumentBytes: number;
};

/** Arguments and results are the JSON of the syscalls in `convex/src/server/impl/*`; errors are Convex's. */
export interface Transaction {
  readonly kind: "query" | "mutation";
  readonly snapshot: Timestamp;
  readonly component: string;

  in(component: string): Transaction;
  /** Returns the table of an id, or null for ids of other components. */
  tableOf(id: string): string | null;

  get(args: { id: string; table?: string | undefined; isSystem: boolean; argument?: string | undefined }): string;
  insert(table: string, value: Json): string /* the new id */;
  shallowMerge(args: { id: string; value: Json; table?: string | undefined }): string;
  replace(args: { id: string; value: Json; table?: string | undefined }): string;
  remove(args: { id: string; table?: string | undefined }): string;

  queryStream(query: Json): number;
  queryStreamNext(queryId: number): string /* {"value": …, "done": …} */;
  queryCleanup(queryId: number): void;
  queryPage(args: Json): string /* {"page": [...], "isDone", "continueCursor", "splitCursor"?, "pageStatus"? } */;
  count(table: string): number;
  normalizeId(table: string, id: string): string | null;

  readonly system: SystemWriter;

  savepoint(): number;
  rollbackTo(savepoint: number): void;

  readSet(): ReadSet;
  findConflict(reads: ReadSet): DocumentName | null;
  usage(): Usage;
}

export type DocumentName = { table: string; id: string };

export interface SystemWriter {
  insert(table: "_storage" | "_scheduled_functions", value: Json): string;
  patch(id: string, value: Json): void;
  remove(id: string): void;
}

export type Commit = { ts: Timestamp; affected: string[] };

export interface Database {
  latest(): Timestamp;
  /** Throws unless `at` is within the last 30 s. */
  beginQuery(at?: Timestamp): Transaction;
  beginMutation(): Transaction;
  /** Searches some vectors at a snapshot. Returns null when the snapshot is no longer kept. @throws FunctionError for an invalid search */
  vectorSlice(request: VectorSliceRequest): VectorResults | null;
  /** Call `flush` before you report the result to a caller. */
  commit(transaction: Transaction, record?: IdempotencyRecord): Commit;
  rollback(transaction: Transaction): void;
  /** Ends a mutation without its commit, so that others can run. `token` subscribes to its read set. */
  suspend(transaction: Transaction, token: string): void;
  /** Commits a suspended mutation. The caller must ensure that no commit has affected its token and no flush has failed. */
  commitSuspended(transaction: Transaction, token: string, record?: IdempotencyRecord): Commit;
  /** Stops all writes if the error shows damaged data, and returns that error. */
  reportDamage(error: unknown): Error | null;
  readonly isDamaged: boolean;
  /** Makes all commits since the last flush durable with one fsync. */
  flush(): void;
  /** Flushes, and truncates the log when due. Returns whether `clearDeleted` is due. */
  checkpoint(): boolean;
  clearDeleted(): boolean;

  recorded(sessionId: string, requestId: number): { ts: Timestamp; result: string } | undefined;

  subscribe(token: string, readSet: ReadSet): void;
  unsubscribe(token: string): void;

  /** Validates all stored documents. The error names document and field. */
  prepareSchema(schema: Json | null, component?: string): PreparedSchema;
  applySchema(prepared: PreparedSchema): void;

  readonly settings: Settings;

  importTarget(): ImportTarget;
  /** Moves staged documents into the tables in one commit, and returns their number. Close the database afterwards. @throws FunctionError */
  applyImport(path: string, onFiles: (imported: ImportedFile[], removed: string[]) => void): number;

  tables(): { component: string; name: string; number: number }[];
  components(): string[];
  sizes(): Record<string, number>;
  tableOf(id: string): string | null;
  componentOf(id: string): string;
  /** Keeps the data file unchanged while `on`, so that it can be copied. Commits go to the log. */
  holdFile(on: boolean): void;
  close(): void;
}

export type IdempotencyRecord = { sessionId: string; requestId: number; result: string };

export interface PreparedSchema {
  readonly schema: Json | null;
  readonly component: string;
  readonly indexesAdded: IndexChange[];
  readonly indexesRemoved: IndexChange[];
  readonly indexesEnabled: IndexChange[];
  readonly indexesDisabled: IndexChange[];
}

export type IndexChange = { table: string } & IndexDefinition;

export interface Settings {
  get(name: string): string | undefined;
  list(prefix: string): { name: string; value: string }[];
  set(name: string, value: string): void;
  delete(name: string): void;
}
