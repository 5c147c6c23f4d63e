/** A SQLite file with the documents and index entries of an import, until one commit moves them into the deployment. */
import { DatabaseSync } from "node:sqlite";
import { prepare, textOf } from "../../storage/rows.ts";
import { canonicalize, DOCUMENT_LIMITS, fieldAt, type JsonObject } from "../../values/canonical.ts";
import { FunctionError } from "../../values/errors.ts";
import { encodeKey } from "../../values/keys.ts";
import { idKey } from "../document.ts";

export type StagedTable = {
  component: string;
  name: string;
  number: number;
  isReplaced: boolean;
  mustBeEmpty: boolean;
  documents: number;
};

export type StagedImport = {
  id: string;
  fingerprint: string;
  tables: StagedTable[];
  cleared: { component: string; name: string }[];
  documents: number;
};

const CONSTRAINT_UNIQUE = 2067;
const CACHE_KIB = 8 * 1024;

export type StagedIndex = { name: string; fields: readonly string[] };
export type Staging = ReturnType<typeof createStaging>;

/** Creates the file. It is discarded after a crash, so it has no journal. */
export function createStaging(path: string) {
  const sql = new DatabaseSync(path);
  sql.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -${CACHE_KIB};
    CREATE TABLE plan (json TEXT NOT NULL);
    CREATE TABLE documents (row INTEGER PRIMARY KEY, position INTEGER NOT NULL, key BLOB NOT NULL UNIQUE, size INTEGER NOT NULL, json TEXT NOT NULL);
    CREATE TABLE indexes (number INTEGER PRIMARY KEY, position INTEGER NOT NULL, name TEXT NOT NULL);
    CREATE TABLE entries (number INTEGER NOT NULL, key BLOB NOT NULL, row INTEGER NOT NULL, PRIMARY KEY (number, key)) WITHOUT ROWID;
    BEGIN`);
  const insert = sql.prepare("INSERT INTO documents (position, key, size, json) VALUES (?, ?, ?, ?)");
  const insertIndex = sql.prepare("INSERT INTO indexes (position, name) VALUES (?, ?)");
  const insertEntry = sql.prepare("INSERT INTO entries (number, key, row) VALUES (?, ?, ?)");

  return {
    /** Returns the function that adds a document of the table at `position` of the plan. @throws {FunctionError} for a repeated id */
    table(position: number, indexes: StagedIndex[]): (value: JsonObject & { _id: string }) => void {
      const entries = indexes.map(({ name, fields }) => ({
        number: insertIndex.run(position, name).lastInsertRowid,
        paths: fields.map((field) => field.split(".")),
      }));
      return (value) => {
        const { text, size, hasCommitTs } = canonicalize(value, DOCUMENT_LIMITS);
        if (hasCommitTs) throw new FunctionError("A commit timestamp can't be imported.");
        const row = added(value._id, () => insert.run(position, idKey(value._id), size, text).lastInsertRowid);
        for (const { number, paths } of entries)
          insertEntry.run(number, encodeKey([...paths.map((path) => fieldAt(value, path)), value._id]), row);
      };
    },
    finish(plan: StagedImport): void {
      sql.prepare("INSERT INTO plan (json) VALUES (?)").run(JSON.stringify(plan));
      sql.exec("COMMIT");
    },
    close: () => sql.close(),
  };
}

function added<T>(id: string, insert: () => T): T {
  try {
    return insert();
  } catch (error) {
    if (error instanceof Error && "errcode" in error && error.errcode === CONSTRAINT_UNIQUE)
      throw new FunctionError(`The ID "${id}" occurs twice.`);
    throw error;
  }
}

export function readPlan(sql: DatabaseSync): StagedImport {
  return JSON.parse(textOf(prepare(sql, "SELECT json FROM staged.plan").get()?.["0"]));
}
