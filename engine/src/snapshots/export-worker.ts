/** Writes a snapshot in a worker thread, so that compression does not delay calls. */
import { parentPort, workerData } from "node:worker_threads";
import { writeArchive, type ArchiveOptions } from "./write-archive.ts";

export type ExportData = ArchiveOptions;
export type ExportAnswer = { ok: true } | { ok: false; message: string };

const data: ExportData = workerData.data;

writeArchive(data).then(
  () => parentPort?.postMessage({ ok: true } satisfies ExportAnswer),
  (error: unknown) =>
    parentPort?.postMessage({ ok: false, message: error instanceof Error ? error.message : String(error) } satisfies ExportAnswer),
);
