/** The interface of `functions/` for `http/`, `sync/`, `deploy/` and `scheduler/`. Main thread only. */
import type { Identity, Json, LogLine, Timestamp, FunctionType } from "../values/types.ts";
import type { ComponentDefinition, DefinitionPath, MountedComponent } from "./components/definitions.ts";
import type { Cron } from "../scheduler/crons.ts";
import type { ImportTarget } from "../transaction/import/import-target.ts";
import type { VectorResult } from "../transaction/query/best-results.ts";
import type { IndexChange } from "../transaction/types.ts";
import type { FileBucketStatus } from "./files/local-copy.ts";
import type { ComponentPath } from "./paths.ts";

/** "exported": public functions of a component, for its parent. Clients never call functions of components ("public"). */
export type Visibility = "public" | "exported" | "any";

export type Call = {
  path: string /* "projects:create", or "projects.js:create" from older clients */;
  component?: ComponentPath | undefined;
  args: Json;
  argsText?: string;
  identity: Identity;
  visibility: Visibility;
  journal?: string | null;
};

export type Outcome =
  | { ok: true; value: Json; valueText?: string /* the value's JSON from the function, forwarded unparsed */; logLines: LogLine[] }
  | {
      ok: false;
      message: string;
      data?: Json /* of a ConvexError */;
      code?: string /* of an error of the deployment, not of the function */;
      logLines: LogLine[];
      requestId?: string /* of the log entry */;
    };

/** The code of a mutation that conflicted at each retry. It changed nothing. */
export const WRITE_CONFLICT = "OptimisticConcurrencyControlFailure";

export type QueryOutcome = Outcome & {
  ts: Timestamp;
  refused?: boolean;
  /** `readIdentity`: false if all callers get the same result. `volatile`: a rerun may differ without a write (time, randomness). */
  readIdentity: boolean;
  volatile?: boolean;
  journal?: string | null;
};
export type MutationOutcome = Outcome & { ts: Timestamp };

export interface FunctionRunner {
  latest(): Timestamp;
  silentMs(now?: number): number;
  /** Runs queries at one snapshot. Commits up to the outcomes' `ts` reach `onCommit` before the promise resolves. */
  queries(calls: (Call & { token?: string })[], at?: Timestamp): Promise<QueryOutcome[]>;
  /** Like `queries`, but returns null for calls that would delay other callers too long. */
  queryRound(calls: (Call & { token?: string })[], at?: Timestamp): Promise<(QueryOutcome | null)[]>;
  /** Runs the default export of a module that is not deployed, in one snapshot. @throws {BundleError} unless it is a query */
  inlineQuery(source: string, component: ComponentPath): Promise<Outcome>;
  /** Runs a mutation. With `once`, a repeated request returns the stored answer. */
  mutation(call: Call, once?: { sessionId: string; requestId: number }): Promise<MutationOutcome>;
  action(call: Call): Promise<Outcome>;
  /** Returns the nearest documents of a vector index, the most similar first (`SerializedVectorQuery` in the client library). */
  vectorSearch(query: Json, component: ComponentPath): Promise<VectorResult[]>;
  anyFunction(call: Call): Promise<Outcome>;
  httpAction(request: Request, identity: Identity): Promise<Response>;
  unsubscribe(tokens: string[]): void;

  /** Called for each durable commit before its mutation is answered. Affected tokens are unsubscribed. */
  onCommit(listener: (commit: { ts: Timestamp; affected: string[] }) => void): () => void;
  onLog(listener: (entry: FunctionLog) => void): () => void;

  analyze(bundle: Bundle): Promise<Analysis>;
  prepare(push: Push, component?: ComponentPath): Promise<SchemaChange>;
  apply(push: Push): Promise<void>;
  current(): Promise<{ bundle: Bundle; analysis: Analysis } | null>;

  environment: {
    list(): Promise<Record<string, string>>;
    update(changes: { name: string; value: string | null }[]): Promise<void>;
  };
  /** Returns the paths of the components with tables, the app first. Unmounted components keep their tables. */
  components(): Promise<ComponentPath[]>;
  tables(component?: ComponentPath): Promise<string[]>;
  tablePage(options: TablePageOptions): Promise<TablePage>;
  editData(edit: DataEdit): Promise<EditResult>;
  crons(): Promise<Cron[]>;
  fileUrl(id: string, component: ComponentPath): Promise<string | null>;
  sizes(): Promise<Record<string, number>>;
  tableSize(table: string, component?: ComponentPath): Promise<number>;
  importTarget(): Promise<ImportTarget>;
  /** Imports staged documents and files in one commit. All queries run again. Returns the number of documents, or why nothing was imported. */
  applyImport(staged: string, folder: string): Promise<{ documents: number } | { refused: string }>;
  isDamaged(): Promise<boolean>;
  /** Freezes the files on disk while calls continue. Returns the id for `release`. */
  hold(): Promise<string>;
  /** Returns false if the lock was interrupted: the copy is then unusable. */
  release(hold: string): Promise<boolean>;
  files: FileStore;
  close(): Promise<void>;
}

/** `index`: sorts by it; default: by creation. `filter`: an expression of the client library's `filter`. */
export type TablePageOptions = {
  component?: ComponentPath | undefined;
  table: string;
  order: "asc" | "desc";
  cursor: string | null;
  numItems: number;
  index?: string | null;
  filter?: Json | null;
};

/** Documents are Convex JSON. `before`: the document that the administrator saw; another one is not replaced. */
export type DataEdit = { component: ComponentPath } & (
  | { kind: "insert"; table: string; documents: Json[] }
  | { kind: "replace"; id: string; document: Json; before: Json }
  | { kind: "delete"; ids: string[] }
  | { kind: "deleteFiles"; ids: string[] }
  | { kind: "cancelJobs"; ids: string[] }
);
export type EditResult = { ids: string[] } | { refused: string };

export type TablePage = { page: Json[]; isDone: boolean; continueCursor: string };

export type BundledModule = { path: string; source: string; sourceMap?: string | undefined; environment: "isolate" | "node" };
export type ComponentBundle = {
  path: DefinitionPath;
  definition: BundledModule;
  dependencies: DefinitionPath[];
  schema: BundledModule | null;
  modules: BundledModule[];
};
export type NodeDependency = { name: string; version: string };

export type Bundle = {
  modules: BundledModule[];
  schema: BundledModule | null;
  authConfig: BundledModule | null;
  definition: BundledModule | null;
  components: ComponentBundle[];
  nodeDependencies: NodeDependency[];
  /** Major version of Node that the app asks for, or null. */
  nodeVersion: string | null;
};

export type AnalyzedFunction = {
  module: string;
  name: string;
  type: FunctionType;
  visibility: "public" | "internal";
  args: Json | null;
  returns: Json | null;
};
export type ModulesAnalysis = {
  functions: AnalyzedFunction[];
  httpRoutes: { path: string; method: string }[];
  crons: Record<string, { name: string; args: Json; schedule: Json }>;
  schema: Json | null;
};
export type Components = {
  app: ComponentDefinition;
  definitions: Record<DefinitionPath, ComponentDefinition & ModulesAnalysis>;
  mounts: MountedComponent[];
};
export type Analysis = ModulesAnalysis & { authProviders: Json[]; components: Components };
export type Push = { bundle: Bundle; analysis: Analysis };
export type SchemaChange = Record<"indexesAdded" | "indexesRemoved" | "indexesEnabled" | "indexesDisabled", readonly IndexChange[]>;

export type FunctionLog = {
  path: string;
  component: ComponentPath;
  type: FunctionType;
  identity: Identity["kind"];
  startedAt: number /* ms */;
  durationMs: number;
  logLines: LogLine[];
  error: string | null;
  /** If false, `path` is unvalidated input. */
  found: boolean;
  requestId: string | null;
};

/** `path` is the file's place on the disk, unless it is in a bucket. */
export type OpenFile = { path: string; size: number; sha256: string; contentType: string | null };

export interface FileStore {
  /** `checkUploadToken` returns the component that the file belongs to. It throws for an invalid or expired token. */
  issueUploadToken(component?: ComponentPath): string;
  checkUploadToken(token: string): ComponentPath;
  store(
    body: AsyncIterable<Uint8Array>,
    options: { contentType: string | null; sha256?: string | undefined; component?: ComponentPath | undefined },
  ): Promise<string>;
  open(uuid: string): Promise<OpenFile | null>;
  /** `range`: first and last byte. Throws DamagedDataError before the last chunk, or before a range's damaged block; all writes stop. Throws FileUnavailableError for a file that its bucket does not return. */
  read(
    file: Pick<OpenFile, "path" | "size" | "sha256">,
    range?: { start: number; end: number } | null,
  ): AsyncGenerator<Uint8Array, void, undefined>;
  /** Returns a local path of the compared file, which can move. A copy of a file in a bucket stays for a minute. @throws DamagedDataError if it does not match its row; all writes stop */
  verify(file: Pick<OpenFile, "path" | "size" | "sha256">): Promise<string>;
  status(): FileBucketStatus | null;
}
