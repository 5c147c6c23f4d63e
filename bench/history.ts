import { appendFileSync, readFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";

/** A measured value. `bar` is the required value, `goal` the next one; `amount` is the number behind `value`. */
export type Figure = { name: string; value: string; amount?: number; bar?: string; met?: boolean; goal?: string };

export type Section = { id: string; title: string; figures: Figure[] };

/** `date` is in UTC, `load` the one-minute load average before and after the run. */
export type Run = { date: string; machine: string; load: [before: number, after: number]; sections: Section[] };

const HISTORY = join(import.meta.dirname, "history.jsonl");

export function describeMachine(): string {
  const model = cpus()[0]?.model.trim() ?? "unknown";
  return `${cpus().length} × ${model}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`;
}

export const appendRun = (run: Run): void => appendFileSync(HISTORY, `${JSON.stringify(run)}\n`);

export const readHistory = (): Run[] =>
  readFileSync(HISTORY, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line): Run => JSON.parse(line))
    .toSorted((a, b) => (a.date < b.date ? -1 : 1));
