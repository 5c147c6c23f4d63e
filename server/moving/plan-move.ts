import type { Move } from "./move-data.ts";
import { listFiles } from "./copy-files.ts";
import { exportTables } from "./snapshot-transfer.ts";
import { type TableSums, sumTables } from "./table-sums.ts";
import { ownVariables } from "./read-only.ts";

const TABLES = "planned-tables.zip";
/** Measured between two deployments on one machine with two cores; a network is slower. */
const IMPORTED_DOCUMENTS_PER_SECOND = 2500;
const PREPARATION_SECONDS = 5;

export async function describeMove({ source, target, folder, requireEmptyTarget }: Move): Promise<string> {
  await requireEmptyTarget();
  const since = performance.now();
  let tables: TableSums;
  try {
    await folder.prepare();
    await exportTables(source, folder.path(TABLES));
    tables = await sumTables(folder.path(TABLES));
  } finally {
    await folder.remove(TABLES);
  }
  const exportSeconds = (performance.now() - since) / 1000;
  const files = [...(await listFiles(source)).values()];
  const variables = Object.keys(await ownVariables(source));
  const documents = [...tables.values()].reduce((sum, table) => sum + table.documents, 0);
  const windowSeconds = 2 * exportSeconds + documents / IMPORTED_DOCUMENTS_PER_SECOND + PREPARATION_SECONDS;
  return [
    `Would move from ${source.url} to ${target.url}:`,
    ...[...tables].map(([name, table]) => `  ${name}: ${table.documents} documents`),
    `  stored files: ${files.length} (${(files.reduce((sum, { size }) => sum + size, 0) / 1e6).toFixed(1)} MB)`,
    `  variables: ${variables.join(", ")}`,
    "  and all scheduled functions",
    `The app would be read-only for about ${Math.ceil(windowSeconds)} s, plus the time of uploading ${(
      [...tables.values()].reduce((sum, { bytes }) => sum + bytes, 0) / 1e6
    ).toFixed(1)} MB.`,
    "Nothing was changed.",
  ].join("\n");
}
