/** Batched, so that many calls cost one wake-up. Values are JSON text, because strings are cheaper to post than objects. */
import type { FunctionKind, FunctionType, Identity, Json, LogLine, Timestamp } from "../../values/types.ts";
import type { Job, JobEnd } from "../../scheduler/jobs.ts";
import type { Cron } from "../../scheduler/crons.ts";
import type { Analysis, Bundle, Push, SchemaChange, TablePage } from "../types.ts";

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

type RunFacts = {
  path: string;
  type: FunctionType;
  startedAt: number;
  durationMs: number;
  readIdentity: boolean;
  volatile?: boolean;
  journal: string | null;
  refused?: "path" | "arguments";
  requestId: string | null;
};

/** `repeated`: the stored answer of an earlier call. */
export type WireRun = { outcome: WireOutcome; facts: RunFacts; ts: Timestamp; repeated?: boolean };

export type FileRow = { id: string; sha256: string; size: number; contentType: string | null };

export type StoredFile = FileRow & { path: string; url: string };

export type Questions = {
  queries: { ask: { calls: WireCall[]; at: Timestamp | null }; answer: WireRun[] };
  mutation: { ask: { call: WireCall; once: { sessionId: string; requestId: number } | null }; answer: WireRun };
  kindOf: { ask: { path: string; visibility: "public" | "any" }; answer: FunctionKind | null };
  checkAction: {
    /** `args` is null if the actions thread checks them. */
    ask: { path: string; args: string | null; visibility: "public" | "any" };
    answer: { message: string; refused: "path" | "arguments" } | null;
  };
  checkActionResult: { ask: { path: string; text: string }; answer: string | null };

  prepare: { ask: { schema: Json | null }; answer: SchemaChange };
  /** Stores the new code and settings in one commit, then closes the database and ends the thread. */
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
  strayFiles: { ask: { names: string[] }; answer: string[] };
  findFileById: { ask: { id: string }; answer: StoredFile | null };
  uploadUrl: { ask: null; answer: string };
  uploadKey: { ask: null; answer: string };
  sizes: { ask: null; answer: Record<string, number> };
  deleteFile: { ask: { id: string }; answer: null };
  isDamaged: { ask: null; answer: boolean };
  noteDamage: { ask: { what: string }; answer: null };

  /** `release` returns false if the lock was interrupted. */
  hold: { ask: null; answer: string };
  release: { ask: { hold: string }; answer: boolean };
  checkpoint: { ask: null; answer: boolean };
  clearDeleted: { ask: null; answer: boolean };

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

/** A stopped call that must not run again. */
export type Verdict = { call: number; message: string };

export type Question = { [K in QuestionName]: { id: number; kind: K; ask: Questions[K]["ask"]; verdicts?: Verdict[] } }[QuestionName];

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

export type ToTransactor = { kind: "open" } | { kind: "work"; questions: Question[]; dropped: string[] } | { kind: "close" };

export type FromTransactor =
  | { kind: "loaded" }
  | { kind: "opened"; latest: Timestamp; hasAcceptedLoss: boolean; env: Record<string, string>; code: LoadedCode | null }
  | { kind: "batch"; batch: Batch }
  | { kind: "closed" }
  | { kind: "failed"; error: WireError };

export type LoadedCode = { root: string; modules: string[]; nodeModules: string[]; analysis: Analysis };

export type TransactorData = {
  dir: string;
  cloudUrl: string;
  siteUrl: string;
  watch: SharedArrayBuffer;
  /** Accepts missing data stored up to this time (milliseconds since 1970). */
  acceptLossUntil: number | null;
  /** Importing code before the database is opened shortens the interruption of a push. */
  preload: { code: LoadedCode | null; env: Record<string, string> } | null;
};
