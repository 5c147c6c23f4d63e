/**
 * What travels between the main thread and the transactor. Each question has one answer; both go in batches, so that many
 * calls in flight cost one wake-up. Values travel as JSON text: a string is cheaper to hand to another thread than an object.
 */
import type { FunctionKind, FunctionType, Identity, Json, LogLine, Timestamp } from "../values/types.ts";
import type { Job, JobEnd } from "../scheduler/jobs.ts";
import type { Cron } from "../scheduler/crons.ts";
import type { Analysis, Bundle, Push, SchemaChange, TablePage } from "./types.ts";

/** `Call` with its arguments as JSON text. */
export type WireCall = {
  path: string;
  args: string;
  identity: Identity;
  visibility: "public" | "any";
  journal?: string | null | undefined;
  token?: string | undefined;
};

export type WireOutcome =
  | { ok: true; text: string; logLines: LogLine[] }
  | { ok: false; message: string; data?: Json | undefined; logLines: LogLine[] };

/** What a finished run tells besides its outcome. */
type RunFacts = {
  path: string;
  type: FunctionType;
  startedAt: number;
  durationMs: number;
  readIdentity: boolean;
  volatile?: boolean;
  journal: string | null;
  /** Under which a failure is told and found in the log; null where nobody has asked for it. */
  requestId: string | null;
};

/** `repeated`: an earlier answer, given again. */
export type WireRun = { outcome: WireOutcome; facts: RunFacts; ts: Timestamp; repeated?: boolean };

export type FileRow = { id: string; sha256: string; size: number; contentType: string | null };

/** A file's row with where its bytes are and where they are served. */
export type StoredFile = FileRow & { path: string; url: string };

/** Question → answer, by name. */
export type Questions = {
  queries: { ask: { calls: WireCall[]; at: Timestamp | null }; answer: WireRun[] };
  mutation: { ask: { call: WireCall; once: { sessionId: string; requestId: number } | null }; answer: WireRun };
  kindOf: { ask: { path: string; visibility: "public" | "any" }; answer: FunctionKind | null };
  /** Whether an action may start: it exists, may be called so, and its arguments fit. Null, or what to tell the caller. */
  checkAction: { ask: { path: string; args: string; visibility: "public" | "any" }; answer: string | null };
  checkActionResult: { ask: { path: string; text: string }; answer: string | null };

  prepare: { ask: { schema: Json | null }; answer: SchemaChange };
  /** Writes the new code and settings in one commit, closes the database and ends the thread. */
  apply: { ask: Push; answer: { env: Record<string, string> } };
  updateEnvironment: {
    ask: { changes: { name: string; value: string | null }[]; authProviders: Json[] | null };
    answer: { env: Record<string, string> };
  };
  current: { ask: null; answer: { bundle: Bundle; analysis: Analysis } | null };
  environment: { ask: null; answer: Record<string, string> };
  tables: { ask: null; answer: string[] };
  tableSize: { ask: { table: string }; answer: number };
  tablePage: { ask: { table: string; order: "asc" | "desc"; cursor: string | null; numItems: number }; answer: TablePage };

  storeFile: { ask: { temporary: string; sha256: string; size: number; contentType: string | null }; answer: string };
  findFile: { ask: { uuid: string }; answer: FileRow | null };
  /** Of these names in DIR/files, those that no row stands for. */
  strayFiles: { ask: { names: string[] }; answer: string[] };
  findFileById: { ask: { id: string }; answer: StoredFile | null };
  uploadUrl: { ask: null; answer: string };
  uploadKey: { ask: null; answer: string };
  deleteFile: { ask: { id: string }; answer: null };

  /** Holds the data still for a backup, and lets it go; false when it was not held all the time. */
  hold: { ask: null; answer: string };
  release: { ask: { hold: string }; answer: boolean };

  dueJobs: { ask: { now: number; limit: number }; answer: { due: Job[]; next: number | null } };
  schedule: { ask: { address: Json; args: Json; at: number }; answer: string };
  cancelJob: { ask: { id: string }; answer: null };
  runJob: { ask: { id: string }; answer: WireRun | null };
  startJob: { ask: { id: string }; answer: Job | null };
  finishJob: { ask: { id: string; end: JobEnd }; answer: null };
  recoverJobs: { ask: null; answer: number };
  cleanJobs: { ask: { before: number; limit: number }; answer: number };
  crons: { ask: null; answer: Cron[] };
  runCron: { ask: { name: string; due: number; next: number }; answer: WireRun | null };
  moveCron: { ask: { name: string; due: number; next: number }; answer: boolean };
};

export type QuestionName = keyof Questions;

/** A call inside a question that must not run again (it was stopped), and what to answer instead. */
export type Verdict = { call: number; message: string };

export type Question = { [K in QuestionName]: { id: number; kind: K; ask: Questions[K]["ask"]; verdicts?: Verdict[] } }[QuestionName];

export type WireError = { message: string; name: string; code?: string | undefined };
export type Answer = { id: number; answer?: unknown; error?: WireError };

/** One post of the transactor: what a durable batch told. */
export type Batch = {
  answers: Answer[];
  /** The newest durable commit. */
  latest: Timestamp;
  affected: string[];
  committed: boolean;
  /** Jobs were scheduled or canceled: the scheduler looks again. */
  jobsChanged: boolean;
};

export type ToTransactor = { kind: "open" } | { kind: "work"; questions: Question[]; dropped: string[] } | { kind: "close" };

export type FromTransactor =
  | { kind: "loaded" }
  | { kind: "opened"; latest: Timestamp; env: Record<string, string>; code: LoadedCode | null }
  | { kind: "batch"; batch: Batch }
  | { kind: "closed" }
  | { kind: "failed"; error: WireError };

/** Code on disk, ready to be imported: the files that hold functions, and which of these begin with "use node". */
export type LoadedCode = { root: string; modules: string[]; nodeModules: string[]; analysis: Analysis };

/** What a transactor is started with. */
export type TransactorData = {
  dir: string;
  cloudUrl: string;
  siteUrl: string;
  watch: SharedArrayBuffer;
  /** Code to import before the database is opened, so that a push interrupts nothing for longer than it must. */
  preload: { code: LoadedCode | null; env: Record<string, string> } | null;
};
