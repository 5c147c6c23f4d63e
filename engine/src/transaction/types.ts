/**
 * The seam between `transaction/` (which owns the data) and `functions/` (which runs code against it).
 * Everything here is used inside the transactor thread, synchronously: a transaction does no I/O but SQLite's,
 * transactions run one at a time, and so are serializable without conflicts.
 */
import type { Json, Timestamp } from "../values/types.ts";

/** One range of one index that a transaction looked at: keys k with low <= k < high, in the index's sortable bytes. */
export type ReadRange = { index: number; low: Uint8Array; high: Uint8Array | null };
export type ReadSet = readonly ReadRange[];

/** What a transaction has used so far, against Convex's limits. */
export type Usage = {
  documentsRead: number;
  bytesRead: number;
  documentsWritten: number;
  bytesWritten: number;
  indexRanges: number;
  scheduled: number;
  scheduledArgumentBytes: number;
};

/**
 * One query's or mutation's view of the data. Arguments and results are the JSON of the syscalls in the published
 * `convex/src/server/impl/*`; methods that return documents return JSON text, so that what SQLite holds is passed on unparsed.
 * Every method throws a `FunctionError` whose message is the one that Convex shows to the developer.
 */
export interface Transaction {
  readonly kind: "query" | "mutation";
  /** The commit whose state this transaction sees. */
  readonly snapshot: Timestamp;

  /** `asked`: which argument of which function the id is, for the message about one that is none; that of `db.get` when left out. */
  get(args: { id: string; table?: string | undefined; isSystem: boolean; asked?: string | undefined }): string;
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

  /** Writes to system tables (`_storage`, `_scheduled_functions`), which user code may only read. */
  readonly system: SystemWriter;

  /** Nested `ctx.runMutation`: what it wrote goes when it throws. */
  savepoint(): number;
  rollbackTo(savepoint: number): void;

  readSet(): ReadSet;
  usage(): Usage;
}

export interface SystemWriter {
  insert(table: "_storage" | "_scheduled_functions", value: Json): string;
  patch(id: string, value: Json): void;
  remove(id: string): void;
}

/** A committed transaction: its timestamp, and which subscriptions its writes fall into. */
export type Commit = { ts: Timestamp; affected: string[] };

/** The data, opened by the transactor thread. One per deployment; a second process on the same folder is refused. */
export interface Database {
  /** The newest commit. */
  latest(): Timestamp;
  /** `at` must lie within the history kept (about 30 s); otherwise this throws and says so. */
  beginQuery(at?: Timestamp): Transaction;
  beginMutation(): Transaction;
  /** Adds the transaction to the open batch. Nothing of it may be told to anyone before `flush`. */
  commit(transaction: Transaction, record?: IdempotencyRecord): Commit;
  rollback(transaction: Transaction): void;
  /** One fsync makes every commit since the last flush durable. A no-op when there was none. */
  flush(): void;

  /** The result of a mutation that this session has already been answered, or undefined. */
  recorded(sessionId: string, requestId: number): { ts: Timestamp; result: string } | undefined;

  /** Subscriptions: a token stands for the read set of one query at the newest state, until it is affected or dropped. */
  subscribe(token: string, readSet: ReadSet): void;
  unsubscribe(token: string): void;

  /** The schema in force and its indexes; both are part of the open batch, as settings are. `prepareSchema` validates all stored documents and throws naming document and field. */
  prepareSchema(schema: Json | null): PreparedSchema;
  applySchema(prepared: PreparedSchema): void;

  /** Small named values of the deployment itself (its modules' manifest, environment, keys): text by name, in the same file. */
  readonly settings: Settings;

  /** What the command line lists: every table with its number. */
  tables(): { name: string; number: number }[];
  /** The table that an id belongs to, as validators of `v.id()` ask (`checkArguments` in `values/validators.ts`); null for a text that is none. */
  tableOf(id: string): string | null;
  /** While `on`, the data file itself stands still at what was flushed last, and can be copied; what is committed goes into the log beside it. */
  holdFile(on: boolean): void;
  close(): void;
}

export type IdempotencyRecord = { sessionId: string; requestId: number; result: string };

/** What a push would change in the indexes, for the command line's summary; opaque otherwise. */
export interface PreparedSchema {
  readonly schema: Json | null;
  readonly indexesAdded: { table: string; name: string; fields: string[] }[];
  readonly indexesRemoved: { table: string; name: string; fields: string[] }[];
}

export interface Settings {
  get(name: string): string | undefined;
  list(prefix: string): { name: string; value: string }[];
  set(name: string, value: string): void;
  delete(name: string): void;
}
