/** Checks and stages an import in a worker thread, so that parsing does not delay calls. */
import { parentPort, workerData } from "node:worker_threads";
import { isDiskFull } from "../storage/disk-full.ts";
import type { StagedImport } from "../transaction/import/staged-import.ts";
import { FunctionError } from "../values/errors.ts";
import { stageImport, type StageOptions } from "./stage-import.ts";

export type ImportData = StageOptions;
/** `message` is for the client, unless `isInternal`. */
export type ImportAnswer = { ok: true; plan: StagedImport } | { ok: false; message: string; isInternal: boolean };

const data: ImportData = workerData.data;

stageImport(data).then(
  (plan) => parentPort?.postMessage({ ok: true, plan } satisfies ImportAnswer),
  (error: unknown) => parentPort?.postMessage(failureOf(error)),
);

function failureOf(error: unknown): ImportAnswer {
  if (isDiskFull(error)) return { ok: false, message: "The deployment's disk is full.", isInternal: false };
  const isInternal = !(error instanceof FunctionError);
  return { ok: false, message: error instanceof Error ? error.message : String(error), isInternal };
}
