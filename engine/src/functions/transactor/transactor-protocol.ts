/** Batched, so that many calls cost one wake-up. Values are JSON text, because strings are cheaper to post than objects. */
import type { FunctionKind, FunctionType, Identity, Json, LogLine, Timestamp } from "../../values/types.ts";
import type { Job, JobEnd } from "../../scheduler/jobs.ts";
import type { Cron } from "../../scheduler/crons.ts";
import type { InlineQuery } from "../bundles/inline-query.ts";
import type { ComponentPath } from "../paths.ts";
import type { ImportTarget } from "../../transaction/import/import-target.ts";
import type { VectorResults, VectorSliceRequest } from "../../transaction/query/vector-search.ts";
import type { Analysis, Bundle, DataEdit, EditResult, Push, SchemaChange, TablePage, TablePageOptions, Visibility } from "../types.ts";

export type WireCall = {
  path: string;
  component?: ComponentPath | undefined;
  args: string;
  identity: Identity;
  visibility: Visibility;
  journal?: string | null | undefined;
  token?: string | undefined;
};

export type WireOutcome =
  | { ok: true; text: string; logLines: LogLine[] }
  | { ok: false; message: string; data?: Json | undefined; code?: string | undefined; logLines: LogLine[] };

type RunMetadata = {
  path: string;
  component?: ComponentPath | undefined;
  type: FunctionType;
  startedAt: number;
  durationMs: number;
  readIdentity: boolean;
  volatile?: boolean;
  journal: string | null;
  refused?: "path" | "arguments";
  requestId: string | null;
};

/** `repeated`: the stored answer of an earlier call. `prepared`: not committed yet; `commitMutation` commits it. */
export type WireRun = { outcome: WireOutcome; metadata: RunMetadata; ts: Timestamp; repeated?: boolean; prepared?: number };

/** The written document that another mutation has read, and the function that wrote it. Empty when unknown. */
export type Conflict = { table?: string; id?: string; path?: string | null };

export type FileRow = { id: string; sha256: string; size: number; contentType: string | null };

export type StoredFile = FileRow & { path: string; url: string };

export type RequestedFunction = { path: string; component?: ComponentPath | undefined; visibility: Visibility };

export type TransactorRequests = {
  /** Calls beyond a caller's `SHARE_MS` do not run. A round, which has many callers, returns null for them; other answers end before them. */
  queries: { params: { calls: WireCall[]; at: Timestamp | null; isRound: boolean }; answer: (WireRun | null)[] };
  inlineQuery: { params: { call: WireCall; query: InlineQuery }; answer: WireRun };
  mutation: { params: { call: WireCall; once: { sessionId: string; requestId: number } | null }; answer: WireRun };
  /** `isRepeatable`: a second run after a commit without an answer has no effect. */
  commitMutation: { params: { id: number; isRepeatable: boolean }; answer: { run: WireRun } | { conflict: Conflict } };
  vectorSlice: { params: VectorSliceRequest; answer: VectorResults | null };
  kindOf: { params: RequestedFunction; answer: FunctionKind | null };
  checkAction: {
    params: RequestedFunction & { args: string | null };
    answer: { message: string; refused: "path" | "arguments" } | null;
  };
  checkActionResult: { params: RequestedFunction & { text: string }; answer: string | null };

  prepare: { params: { schema: Json | null; component: ComponentPath }; answer: SchemaChange };
  /** Stores the new code and settings in one commit, then closes the database and ends the thread. */
  apply: { params: Push; answer: { env: Record<string, string> } };
  updateEnvironment: {
    params: { changes: { name: string; value: string | null }[]; authProviders: Json[] | null };
    answer: { env: Record<string, string> };
  };
  current: { params: null; answer: { bundle: Bundle; analysis: Analysis } | null };
  environment: { params: null; answer: Record<string, string> };
  components: { params: null; answer: ComponentPath[] };
  tables: { params: { component: ComponentPath }; answer: string[] };
  tableSize: { params: { component: ComponentPath; table: string }; answer: number };
  tablePage: { params: TablePageOptions; answer: TablePage };
  editData: { params: DataEdit; answer: EditResult };

  importTarget: { params: null; answer: ImportTarget };
  /** Imports the staged file and the files in `folder`, named by their ids, in one commit. Then closes the database and ends the thread. */
  applyImport: { params: { staged: string; folder: string }; answer: { documents: number } | { refused: string } };

  storeFile: {
    params: { component: ComponentPath; temporary: string; sha256: string; size: number; contentType: string | null };
    answer: string;
  };
  findFile: { params: { uuid: string }; answer: FileRow | null };
  strayFiles: { params: { names: string[] }; answer: string[] };
  deploymentId: { params: null; answer: string };
  /** Names of removed files whose objects may still be in the bucket. Empty for files that a backup needs. */
  removedObjects: { params: { limit: number }; answer: string[] };
  objectsRemoved: { params: { names: string[] }; answer: null };
  /** Removes the local bytes of a file whose object is proven. False while a backup runs, and for a removed file. */
  releaseLocal: { params: { uuid: string }; answer: boolean };
  placeLocal: { params: { uuid: string; temporary: string }; answer: boolean };
  isHeld: { params: null; answer: boolean };
  findFileById: { params: { component: ComponentPath; id: string }; answer: StoredFile | null };
  uploadUrl: { params: { component: ComponentPath }; answer: string };
  uploadKey: { params: null; answer: string };
  sizes: { params: null; answer: Record<string, number> };
  deleteFile: { params: { component: ComponentPath; id: string }; answer: null };
  isDamaged: { params: null; answer: boolean };
  reportDamage: { params: { what: string }; answer: null };

  hold: { params: null; answer: string };
  release: { params: { hold: string }; answer: boolean };
  checkpoint: { params: null; answer: boolean };
  clearDeleted: { params: null; answer: boolean };

  dueJobs: { params: { now: number; limit: number }; answer: { due: Job[]; next: number | null } };
  /** `component` is the caller's: the job is a row of its `_scheduled_functions`. */
  schedule: { params: { component: ComponentPath; address: Json; args: Json; at: number }; answer: string };
  cancelJob: { params: { component: ComponentPath; id: string }; answer: null };
  runJob: { params: { id: string }; answer: WireRun | null };
  startJob: { params: { id: string }; answer: Job | null };
  finishJob: { params: { id: string; end: JobEnd }; answer: null };
  recoverJobs: { params: null; answer: number };
  cleanJobs: { params: { before: number; limit: number }; answer: number };
  crons: { params: null; answer: Cron[] };
  runCron: { params: CronRun; answer: WireRun | null };
  moveCron: { params: CronRun; answer: boolean };
};

type CronRun = { component: ComponentPath; name: string; due: number; next: number };

export type TransactorRequestName = keyof TransactorRequests;

export type SendRequest = <K extends TransactorRequestName>(
  kind: K,
  params: TransactorRequests[K]["params"],
) => Promise<TransactorRequests[K]["answer"]>;

export type Verdict = { call: number; message: string };

export type TransactorRequest = {
  [K in TransactorRequestName]: { id: number; kind: K; params: TransactorRequests[K]["params"]; verdicts?: Verdict[] };
}[TransactorRequestName];

export type WireError = { message: string; name: string; code?: string | undefined };
export type Answer = { id: number; answer?: unknown; error?: WireError };

export type Affected = { ts: Timestamp; affected: string[] };

export type Batch = {
  answers: Answer[];
  latest: Timestamp;
  affected: Affected[];
  committed: boolean;
  jobsChanged: boolean;
};

export type ToTransactor = { kind: "open" } | { kind: "work"; requests: TransactorRequest[]; dropped: string[] } | { kind: "close" };

export type FromTransactor =
  | { kind: "loaded" }
  | { kind: "opened"; latest: Timestamp; hasAcceptedLoss: boolean; env: Record<string, string>; code: LoadedCode | null }
  | { kind: "batch"; batch: Batch }
  | { kind: "closed" }
  | { kind: "failed"; error: WireError };

/** A mounted component. `modules` are in `folder`, which is in the root of the code. */
export type LoadedComponent = { path: ComponentPath; definition: string; folder: string; modules: string[] };
/** `nodeModules`: those of `modules` from "use node" files. `packages`: names of external packages. */
export type LoadedCode = {
  root: string;
  modules: string[];
  nodeModules: string[];
  packages: string[];
  components: LoadedComponent[];
  analysis: Analysis;
};

export type TransactorSimulation = { defersCommits: boolean; writeBytesPerSecond: number | null };

export type TransactorData = {
  dir: string;
  cloudUrl: string;
  siteUrl: string;
  watch: SharedArrayBuffer;
  /** Accepts missing data stored up to this time (milliseconds since 1970). */
  acceptLossUntil: number | null;
  hasFileBucket: boolean;
  simulation: TransactorSimulation;
  /** Importing code before the database is opened shortens the interruption of a push. */
  preload: { code: LoadedCode | null; env: Record<string, string> } | null;
};
