/** Step n upgrades format n to n + 1; a new file runs them all. Released steps never change. */
export const FORMATS: readonly string[] = [
  `
  -- Counters of the deployment: 'ts' (the newest commit, nanoseconds) and 'creationTime' (the newest _creationTime given out).
  CREATE TABLE clock (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
  CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

  CREATE TABLE tables (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
  -- kind 'database': definition is the list of fields. kind 'search': { searchField, filterFields }.
  CREATE TABLE indexes (
    id INTEGER PRIMARY KEY, table_number INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, definition TEXT NOT NULL,
    UNIQUE (table_number, kind, name)
  );

  -- key is the document's key in its table's by_id index. size is what Convex counts. json is canonical.
  CREATE TABLE documents (row INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, size INTEGER NOT NULL, json TEXT NOT NULL);
  -- key is the indexed fields, then _creationTime, then _id: it ends with the document's key.
  CREATE TABLE entries (
    index_id INTEGER NOT NULL, key BLOB NOT NULL, row INTEGER NOT NULL, PRIMARY KEY (index_id, key)
  ) WITHOUT ROWID;

  -- What mutations answered, so that one sent again is answered and not repeated.
  CREATE TABLE answers (
    number INTEGER PRIMARY KEY, session TEXT NOT NULL, request INTEGER NOT NULL, ts INTEGER NOT NULL, result TEXT NOT NULL,
    UNIQUE (session, request)
  );
  CREATE INDEX answers_by_ts ON answers (ts);
  `,
  "",
  // Files of format 3 can have pointer-map pages, which earlier versions overwrite when they clear unused bytes.
  "",
];

export const FORMAT: number = FORMATS.length;
