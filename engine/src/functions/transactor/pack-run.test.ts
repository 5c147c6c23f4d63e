import { expect, test } from "vitest";
import { packRun, unpackAnswer } from "./pack-run.ts";
import type { WireRun } from "./transactor-protocol.ts";

const metadata: WireRun["metadata"] = {
  path: "rows:insert",
  component: "counter",
  type: "mutation",
  startedAt: 1,
  durationMs: 2,
  readIdentity: true,
  volatile: true,
  journal: "journal",
  requestId: "request",
};
const run: WireRun = { outcome: { ok: true, text: '"id"', logLines: ["a line"] }, metadata, ts: 3n };

const RUNS: Record<string, WireRun | null> = {
  "a run": run,
  "a run without a log": { ...run, outcome: { ok: true, text: "null", logLines: [] } },
  "a failed run": { ...run, outcome: { ok: false, message: "failed", data: 1, code: "code", logLines: [] } },
  "a repeated answer": { ...run, repeated: true },
  "a prepared run": { ...run, prepared: 4 },
  "a refused call": { ...run, metadata: { ...metadata, refused: "arguments" } },
  "a postponed query": null,
};

test.each(Object.keys(RUNS))("posts %s unchanged", (name) => {
  const original = RUNS[name] ?? null;
  const posted: unknown = structuredClone(packRun(original));
  expect(unpackAnswer("mutation", posted)).toEqual(original);
  expect(unpackAnswer("queries", [posted])).toEqual([original]);
});

test("posts a successful run as a list", () => {
  expect(Array.isArray(packRun(run))).toBe(true);
});
