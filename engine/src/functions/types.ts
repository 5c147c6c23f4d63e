/**
 * The seam between `functions/` (which runs code, on threads of its own) and what speaks to others: `http/`, `sync/`,
 * `deploy/`, `scheduler/`. Everything here is used on the main thread.
 */
import type { Identity, Json, LogLine, Timestamp, FunctionType } from "../values/types.ts";

/** A call of a function by name. `args` is one object. `visibility: "public"` hides internal functions. */
export type Call = {
  path: string /* "projects:create", or "projects.js:create" as older clients say */;
  args: Json;
  identity: Identity;
  visibility: "public" | "any";
  /** Of a query's earlier run (where its page ended), so that a page that runs again neither grows nor shifts. */
  journal?: string | null;
};

/** How a function ended, with what it logged. Its own failure is an outcome, not an exception. */
export type Outcome =
  | { ok: true; value: Json; valueText?: string /* the value's JSON as the function gave it: sent on unparsed */; logLines: LogLine[] }
  | {
      ok: false;
      message: string;
      data?: Json /* of a ConvexError */;
      logLines: LogLine[];
      requestId?: string /* under which the log has it */;
    };

export type QueryOutcome = Outcome & {
  ts: Timestamp;
  /** False when the function never asked who calls: equal arguments then give equal results to all. */
  readIdentity: boolean;
  /** True when it asked for the time, for chance or for its snapshot: another run may answer otherwise though nothing was written. */
  volatile?: boolean;
  /** What to give back as `Call.journal` when this query runs again; null when it has none. */
  journal?: string | null;
};
export type MutationOutcome = Outcome & { ts: Timestamp };

export interface FunctionRunner {
  /** The newest durable commit. */
  latest(): Timestamp;
  /**
   * All calls see one snapshot: `at`, or the newest durable one. A call with a token stays subscribed until affected or dropped.
   * Every commit up to the outcomes' `ts` has been told to `onCommit` before the promise resolves; a commit after it that
   * meets a token's ranges may be told before or after.
   */
  queries(calls: (Call & { token?: string })[], at?: Timestamp): Promise<QueryOutcome[]>;
  /** With `once`, a call that was answered before is answered the same again and runs no second time. */
  mutation(call: Call, once?: { sessionId: string; requestId: number }): Promise<MutationOutcome>;
  action(call: Call): Promise<Outcome>;
  /** Runs whichever type the function is (`/api/function`, `convex run`). */
  anyFunction(call: Call): Promise<Outcome>;
  httpAction(request: Request, identity: Identity): Promise<Response>;
  unsubscribe(tokens: string[]): void;

  /**
   * Called after each durable batch of commits, before any of its mutations is answered; tokens told here are gone.
   * `apply` and `environment.update` count as a commit that affects every subscription.
   */
  onCommit(listener: (commit: { ts: Timestamp; affected: string[] }) => void): () => void;
  /** Every finished run, for the log stream of the command line. */
  onLog(listener: (entry: FunctionLog) => void): () => void;

  /** Loads code without putting it in force and tells what is in it, as `deploy2/start_push` answers. */
  analyze(bundle: Bundle): Promise<Analysis>;
  /** Checks the schema against the stored data; what it would change. Throws naming document and field. */
  prepare(push: Push): Promise<SchemaChange>;
  /** Puts code, schema and settings in force in one commit. What runs finishes with the old code. */
  apply(push: Push): Promise<void>;
  /** The code in force, for its hashes and `function-spec`. */
  current(): Promise<{ bundle: Bundle; analysis: Analysis } | null>;

  environment: {
    list(): Promise<Record<string, string>>;
    update(changes: { name: string; value: string | null }[]): Promise<void>;
  };
  /** What `convex data` lists: the names of all user tables, and a page of one table's documents. */
  tables(): Promise<string[]>;
  tablePage(options: { table: string; order: "asc" | "desc"; cursor: string | null; numItems: number }): Promise<TablePage>;
  /** How many documents a table has; 0 for one that is not there. */
  tableSize(table: string): Promise<number>;
  /** For a backup: what is on disk stands still and can be copied, while calls go on. Answers what to release it by. */
  hold(): Promise<string>;
  /** False when it was not held all the time: what was copied is worth nothing. */
  release(hold: string): Promise<boolean>;
  /** File storage: rows of `_storage` and the bytes beside the database. */
  files: FileStore;
  close(): Promise<void>;
}

/** One page of a table's documents, as their JSON. */
export type TablePage = { page: Json[]; isDone: boolean; continueCursor: string };

/** Code as the official command line pushes it: ready ES modules. */
export type BundledModule = { path: string; source: string; sourceMap?: string | undefined; environment: "isolate" | "node" };
export type Bundle = { modules: BundledModule[]; schema: BundledModule | null; authConfig: BundledModule | null };

export type AnalyzedFunction = {
  module: string;
  name: string;
  type: FunctionType;
  visibility: "public" | "internal";
  args: Json | null;
  returns: Json | null;
};
export type Analysis = {
  functions: AnalyzedFunction[];
  httpRoutes: { path: string; method: string }[];
  crons: Record<string, { name: string; args: Json; schedule: Json }>;
  schema: Json | null;
  authProviders: Json[];
};
export type Push = { bundle: Bundle; analysis: Analysis };
export type SchemaChange = {
  indexesAdded: { table: string; name: string; fields: string[] }[];
  indexesRemoved: { table: string; name: string; fields: string[] }[];
};

export type FunctionLog = {
  path: string;
  type: FunctionType;
  identity: Identity["kind"];
  startedAt: number /* ms */;
  durationMs: number;
  logLines: LogLine[];
  error: string | null;
  /** Null when nobody has been told one. */
  requestId: string | null;
};

export interface FileStore {
  /** A single-use, signed, expiring token for `/api/storage/upload?token=`; `check` throws when it is none of ours or too old. */
  issueUploadToken(): string;
  checkUploadToken(token: string): void;
  /** Streams to a temporary file, hashes, syncs, renames, then inserts the row. Answers the storage id. */
  store(body: AsyncIterable<Uint8Array>, options: { contentType: string | null; sha256?: string | undefined }): Promise<string>;
  /** By the id in a storage URL (a UUID). */
  open(uuid: string): Promise<{ path: string; size: number; sha256: string; contentType: string | null } | null>;
}
