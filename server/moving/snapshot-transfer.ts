/** The requests of `npx convex export` and `npx convex import`. In this process, so that nothing continues after a kill. */
import { createReadStream, createWriteStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { callDeployment, requestDeployment, type Target } from "../deployment/push.ts";
import { callSystemQuery } from "./admin-calls.ts";

const POLL_MS = 200;
/** Convex's limits of an upload: parts of at least 5 MiB, and fewer than 10,000. */
const PART_BYTES = 5 * 1024 * 1024;
const MAX_PARTS = 9_999;

const exportSchema = z
  .discriminatedUnion("state", [
    z.looseObject({ state: z.enum(["requested", "in_progress", "failed"]) }),
    z.looseObject({ state: z.literal("completed"), start_ts: z.bigint() }),
  ])
  .nullable();

export async function exportTables(source: Target, to: string): Promise<void> {
  for (;;) {
    try {
      await callDeployment(source, "/api/export/request/zip?includeStorage=false", {});
      break;
    } catch (error) {
      if (!(error instanceof Error) || !/ExportInProgress|BackupInProgress/.test(error.message)) throw error;
      await sleep(POLL_MS);
    }
  }
  for (;;) {
    const found = exportSchema.parse(await callSystemQuery(source, "_system/cli/exports:getLatest"));
    if (found?.state === "failed") throw new Error(`The export of ${source.url} failed.`);
    if (found?.state === "completed") return download(source, `/api/export/zip/${found.start_ts}`, to);
    await sleep(POLL_MS);
  }
}

async function download(source: Target, path: string, to: string): Promise<void> {
  const response = await requestDeployment(source, path, { method: "GET" });
  if (!response.body) throw new Error(`The deployment at ${source.url} sent no snapshot.`);
  await rm(to, { force: true });
  await pipeline(response.body, createWriteStream(to, { mode: 0o600, flush: true }));
}

const uploadSchema = z.looseObject({ uploadToken: z.string() });
const importIdSchema = z.looseObject({ importId: z.string() });
const importStateSchema = z.discriminatedUnion("state", [
  z.looseObject({ state: z.enum(["uploaded", "waiting_for_confirmation", "in_progress"]) }),
  z.looseObject({ state: z.literal("completed"), num_rows_written: z.bigint() }),
  z.looseObject({ state: z.literal("failed"), error_message: z.string() }),
]);
const importSchema = z.looseObject({ state: importStateSchema });

/** Imports a snapshot. "append" adds to the tables, "replace" deletes their documents first. Returns the number of documents. */
export async function importSnapshot(target: Target, path: string, mode: "append" | "replace"): Promise<number> {
  const { uploadToken } = uploadSchema.parse(await callDeployment(target, "/api/import/start_upload", {}));
  const { size } = await stat(path);
  const highWaterMark = Math.max(PART_BYTES, Math.ceil(size / MAX_PARTS));
  const partTokens: unknown[] = [];
  for await (const part of createReadStream(path, { highWaterMark })) {
    const address = `/api/import/upload_part?uploadToken=${encodeURIComponent(uploadToken)}&partNumber=${partTokens.length + 1}`;
    const headers = { "Content-Type": "application/octet-stream" };
    partTokens.push(await (await requestDeployment(target, address, { method: "POST", headers, body: part })).json());
  }
  const request = { import: { mode, format: "zip" }, uploadToken, partTokens };
  const { importId } = importIdSchema.parse(await callDeployment(target, "/api/import/finish_upload", request));
  for (let isConfirmed = false; ;) {
    const { state } = importSchema.parse(await callSystemQuery(target, "_system/cli/queryImport", { importId }));
    if (state.state === "completed") return Number(state.num_rows_written);
    if (state.state === "failed") throw new Error(`${target.url} refused the import: ${state.error_message}`);
    if (state.state === "waiting_for_confirmation" && !isConfirmed) {
      await callDeployment(target, "/api/perform_import", { importId });
      isConfirmed = true;
    } else await sleep(POLL_MS);
  }
}

/** Waits for an import that a killed move has started. Those that it did not start are never performed. */
export async function waitForImports(target: Target): Promise<void> {
  const schema = z.array(importSchema);
  while (schema.parse(await callSystemQuery(target, "_system/cli/queryImport:list")).some(({ state }) => state.state === "in_progress"))
    await sleep(POLL_MS);
}
