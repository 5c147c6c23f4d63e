import type { DatabaseSync } from "node:sqlite";
import type { Settings } from "../transaction/types.ts";
import { prepare, textOf } from "./rows.ts";

export function openSettings(sql: DatabaseSync, written: (write: () => void) => void): Settings {
  const get = prepare(sql, "SELECT value FROM settings WHERE name = ?");
  const list = prepare(sql, "SELECT name, value FROM settings WHERE name >= ?1 AND substr(name, 1, length(?1)) = ?1 ORDER BY name");
  const set = sql.prepare("INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value");
  const remove = sql.prepare("DELETE FROM settings WHERE name = ?");
  return {
    get(name) {
      const row = get.get(name);
      return row === undefined ? undefined : textOf(row[0]);
    },
    list: (prefix) => list.all(prefix).map((row) => ({ name: textOf(row["0"]), value: textOf(row["1"]) })),
    set(name, value) {
      written(() => set.run(name, value));
    },
    delete(name) {
      written(() => remove.run(name));
    },
  };
}
