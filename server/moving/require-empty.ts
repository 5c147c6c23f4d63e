import * as z from "zod";
import type { Target } from "../deployment/push.ts";
import { callSystemQuery } from "./admin-calls.ts";
import { MoveError } from "./move-error.ts";

/** Rows that the app's own jobs and servers write into a new deployment. The move replaces them. */
const OWN_TABLES = new Set(["auditSettings", "rateLimits", "releasedFiles", "revocations", "sweeps", "upgrades"]);
const TABLES = 1000;

const tablesSchema = z.looseObject({ page: z.array(z.looseObject({ name: z.string() })) });
const rowsSchema = z.looseObject({ page: z.array(z.unknown()) });

/** Throws `MoveError` with the tables that have documents. `advice` describes how to get an empty deployment. */
export async function requireEmpty(target: Target, advice: string): Promise<void> {
  const { page } = tablesSchema.parse(
    await callSystemQuery(target, "_system/cli/tables", { paginationOpts: { cursor: null, numItems: TABLES } }),
  );
  const filled: string[] = [];
  for (const name of [...page.map((table) => table.name), "_storage"])
    if (!OWN_TABLES.has(name) && !filled.includes(name) && (await hasRows(target, name))) filled.push(name);
  if (filled.length === 0) return;
  const names = filled.map((name) => (name === "_storage" ? "stored files" : name)).join(", ");
  throw new MoveError(`${target.url} is not empty. It has documents in: ${names}. ${advice} Nothing was changed.`);
}

async function hasRows(target: Target, table: string): Promise<boolean> {
  const args = { table, order: "asc", paginationOpts: { cursor: null, numItems: 1 } };
  return rowsSchema.parse(await callSystemQuery(target, "_system/cli/tableData", args)).page.length > 0;
}
