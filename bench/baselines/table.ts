import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";

export function openTable(dir: string): { sql: DatabaseSync; insert: StatementSync; get: StatementSync } {
  const sql = new DatabaseSync(join(dir, "rows.sqlite3"));
  sql.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000");
  sql.exec("CREATE TABLE IF NOT EXISTS rows (id TEXT PRIMARY KEY, json TEXT NOT NULL) WITHOUT ROWID");
  return { sql, insert: sql.prepare("INSERT INTO rows VALUES (?, ?)"), get: sql.prepare("SELECT json FROM rows WHERE id = ?") };
}
