import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import type { RunningApp } from "./app.ts";

const secrets = z.object({ engineAdminKey: z.string() });
const page = z.object({
  status: z.literal("success"),
  value: z.object({ page: z.array(z.record(z.string(), z.unknown())), isDone: z.boolean(), continueCursor: z.string() }),
});

export type Comparison = {
  images: number;
  rowsWithoutBytes: string[];
  bytesWithoutRow: string[];
};

/** Reads all tables as administrator until two reads agree, as these queries share no timestamp. */
export async function compareStored(app: RunningApp): Promise<Comparison> {
  const { engineAdminKey } = secrets.parse(JSON.parse(await readFile(join(app.dataDir, "secrets.json"), "utf8")));
  const rowsOf = async (table: string) => {
    const rows: Record<string, unknown>[] = [];
    for (let cursor: string | null = null; ;) {
      const response = await fetch(`${app.deployment.url}/api/query`, {
        method: "POST",
        headers: { "Content-Type": "application/json", Authorization: `Convex ${engineAdminKey}` },
        body: JSON.stringify({
          path: "_system/cli/tableData",
          args: { table, order: "asc", paginationOpts: { cursor, numItems: 500 } },
          format: "json",
        }),
      });
      const { value } = page.parse(await response.json());
      rows.push(...value.page);
      if (value.isDone) return rows;
      cursor = value.continueCursor;
    }
  };
  const read = () => Promise.all([rowsOf("designImages"), rowsOf("imageVersions"), rowsOf("commentImages"), rowsOf("_storage")]);
  let tables = await read();
  for (let again = await read(); !isDeepStrictEqual(again, tables); again = await read()) tables = again;
  const [images, versions, inComments, files] = tables;
  const rows = [...images, ...versions, ...inComments];
  const sizes = new Map(files.map(({ _id, size }) => [_id, size]));
  const used = new Set(rows.map(({ storageId }) => storageId));
  return {
    images: images.length,
    rowsWithoutBytes: rows.filter(({ storageId, size }) => sizes.get(storageId) !== size).map(({ _id }) => String(_id)),
    bytesWithoutRow: files.filter(({ _id }) => !used.has(_id)).map(({ _id }) => String(_id)),
  };
}
