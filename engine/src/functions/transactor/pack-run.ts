import type { LogLine } from "../../values/types.ts";
import type { TransactorRequestName, WireRun } from "./transactor-protocol.ts";

/** A successful run as a list: posting an object copies the name of each property, which takes three times as long. */
type RunList = [
  text: string,
  logLines: LogLine[] | null,
  path: string,
  component: string | undefined,
  type: WireRun["metadata"]["type"],
  startedAt: number,
  durationMs: number,
  readIdentity: boolean,
  volatile: boolean,
  journal: string | null,
  requestId: string | null,
  ts: bigint,
];

type PackedRun = RunList | WireRun | null;

export function packRun(run: WireRun | null): PackedRun {
  if (run === null || !run.outcome.ok || run.repeated || run.prepared !== undefined || run.metadata.refused !== undefined) return run;
  const { text, logLines } = run.outcome;
  const { path, component, type, startedAt, durationMs, readIdentity, volatile = false, journal, requestId } = run.metadata;
  const lines = logLines.length === 0 ? null : logLines;
  return [text, lines, path, component, type, startedAt, durationMs, readIdentity, volatile, journal, requestId, run.ts];
}

function unpackRun(packed: PackedRun): WireRun | null {
  if (!Array.isArray(packed)) return packed;
  const [text, logLines, path, component, type, startedAt, durationMs, readIdentity, volatile, journal, requestId, ts] = packed;
  const metadata = { path, component, type, startedAt, durationMs, readIdentity, volatile, journal, requestId };
  return { outcome: { ok: true, text, logLines: logLines ?? [] }, metadata, ts };
}

/** Unpacks the answer that `answerRequest` packed for a request of this kind. */
export function unpackAnswer(kind: TransactorRequestName, answer: unknown): unknown {
  if (kind === "mutation") return unpackRun(answer as PackedRun);
  return kind === "queries" ? (answer as PackedRun[]).map(unpackRun) : answer;
}
