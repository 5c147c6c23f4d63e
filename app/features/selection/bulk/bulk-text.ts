import type { FunctionReturnType } from "convex/server";
import type { api } from "#convex/_generated/api";
import { count } from "~/lib/ui/count";

export type BulkJob = FunctionReturnType<typeof api.bulk.getRecent>[number];
type Described = Pick<BulkJob, "kind" | "action" | "state" | "phase" | "done" | "total">;

const TEXTS: Record<string, [running: (items: string) => string, done: string]> = {
  trash: [(items) => `Moving ${items} to the trash`, "moved to the trash"],
  move: [(items) => `Moving ${items}`, "moved"],
  copy: [(items) => `Copying ${items}`, "copied"],
  tag: [(items) => `Tagging ${items}`, "tagged"],
  untag: [(items) => `Removing tags from ${items}`, "untagged"],
  review: [(items) => `Setting the status of ${items}`, "updated"],
  favourite: [(items) => `Updating ${items}`, "updated"],
};
const OTHER = TEXTS["favourite"] ?? [(items: string) => items, "updated"];

export function bulkText({ kind, action, state, phase, done, total }: Described): string {
  const [running, past] = TEXTS[action] ?? OTHER;
  const prefix = phase === "undo" ? "Undo: " : phase === "redo" ? "Redo: " : "";
  if (state === "running") return `${prefix}${running(count(total, kind))}…`;
  const result = state === "done" ? count(done, kind) : `stopped after ${count(done, kind)}`;
  if (state === "done") return `${prefix}${result} ${past}`;
  return `${prefix}${running(count(total, kind))}: ${result}`;
}
