import type { DatabaseSync } from "node:sqlite";
import type { Catalog } from "../../storage/catalog.ts";
import { bytesOf, numberOf, prepare, textOf } from "../../storage/rows.ts";
import { DamagedDataError } from "../../values/errors.ts";
import { compareKeys } from "../../values/keys.ts";
import { entryKey, idKey, idOf, parseDocument } from "../document.ts";

/** SQLite checks about 700 MB of cached pages per second, so this size takes a tenth of a second. */
const CHECKED_WHOLE_BYTES = 64 * 1024 * 1024;
/** In larger files only these tables are checked, which every start reads. `settings` contains the code. */
const ALWAYS_CHECKED = ["clock", "settings", "tables", "indexes"];
const SAMPLED_DOCUMENTS = 200;

/** Checks a part of the data at each start; `check-data` reads everything. @throws DamagedDataError naming the first problem */
export function quickCheck(sql: DatabaseSync, catalog: Catalog): void {
  const bytes = pragma(sql, "page_count") * pragma(sql, "page_size");
  for (const argument of bytes <= CHECKED_WHOLE_BYTES ? ["1"] : ALWAYS_CHECKED) {
    const found = sql.prepare(`PRAGMA quick_check(${argument})`).get()?.["quick_check"];
    if (found !== "ok") throw new DamagedDataError(String(found).replaceAll("\n", " "));
  }
  // Two statements, because one for both would read the whole table (https://www.sqlite.org/optoverview.html#minmax).
  const [first, last] = ["min", "max"].map((bound) => Number(prepare(sql, `SELECT ${bound}(row) FROM documents`).get()?.[0] ?? 0));
  if (!first || !last) return;
  const sample = prepare(sql, "SELECT row, key, json FROM documents WHERE row >= ? LIMIT 1");
  const entry = prepare(sql, "SELECT row FROM entries WHERE index_id = ? AND key = ?");
  for (let count = 0; count < SAMPLED_DOCUMENTS; count += 1) {
    const found = sample.get(first + Math.floor(((last - first) * count) / SAMPLED_DOCUMENTS));
    if (found === undefined) return;
    const value = parseDocument(textOf(found[2]));
    const id = idOf(value);
    const table = catalog.tableOf(id);
    if (table === undefined || compareKeys(bytesOf(found[1]), idKey(id)) !== 0)
      throw new DamagedDataError(`document ${id} has a wrong key`);
    for (const index of table.indexes.values()) {
      if (index === table.byId) continue;
      const leads = entry.get(index.id, entryKey(index, value, id));
      if (leads === undefined || numberOf(leads[0]) !== numberOf(found[0]))
        throw new DamagedDataError(`index ${table.name}.${index.name} has no entry for document ${id}`);
    }
  }
}

const pragma = (sql: DatabaseSync, name: string): number => Number(sql.prepare(`PRAGMA ${name}`).get()?.[name]);
