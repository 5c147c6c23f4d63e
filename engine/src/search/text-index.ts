import type { DatabaseSync, StatementSync } from "node:sqlite";
import { LRUCache } from "lru-cache";
import type { SearchIndex } from "../storage/catalog.ts";
import { numberOf, prepare } from "../storage/rows.ts";
import { fieldAt } from "../values/canonical.ts";
import { encodeKey } from "../values/keys.ts";
import { MAX_SEARCH_RESULTS } from "../values/limits.ts";
import type { Json } from "../values/types.ts";
import { filterMark } from "./filter-mark.ts";
import { matchExpression, type Term } from "./terms.ts";

const PAGES_AT_ONCE = 32;
const FILLER_ROW = -1;

/** An index is rewritten after this many changes, if they are a quarter of its rows: each search reads all segments of changes. */
const CHANGES_BEFORE_REWRITE = 1000;

const CACHED_LETTERS = 4 * 1024 * 1024;
const LETTERS_OF_ENTRY = 64;

export type TextIndexEntry = { text: string; marks: string };
export type Filter = { path: readonly string[]; value: Json | undefined };

/** Each index is an FTS5 table (https://www.sqlite.org/fts5.html) without a copy of the text. A filter value is one word. */
export type TextIndexes = ReturnType<typeof openTextIndexes>;

export function openTextIndexes(sql: DatabaseSync) {
  const statements = new Map<number, { insert: StatementSync; remove: StatementSync; newest: StatementSync; merge: StatementSync }>();
  const cachedTexts = new Map<number, LRUCache<number, string>>();
  /** Indexes with deletions: FTS5 may keep a deleted word as a page separator until it rewrites the pages. */
  const staleIndexes = new Map<number, SearchIndex>();
  let isRewriting = false;
  const changes = prepare(sql, "SELECT total_changes()");
  const changedRows = new Map<number, number>();

  function of(index: SearchIndex) {
    let prepared = statements.get(index.id);
    if (prepared === undefined) {
      const name = tableName(index);
      prepared = {
        insert: sql.prepare(`INSERT INTO ${name} (rowid, text, marks) VALUES (?, ?, ?)`),
        remove: sql.prepare(`INSERT INTO ${name} (${name}, rowid, text, marks) VALUES ('delete', ?, ?, ?)`),
        merge: sql.prepare(`INSERT INTO ${name} (${name}, rank) VALUES ('merge', ?)`),
        newest: prepare(sql, `SELECT rowid FROM ${name} WHERE ${name} MATCH ? ORDER BY rowid DESC LIMIT ${MAX_SEARCH_RESULTS + 1}`),
      };
      statements.set(index.id, prepared);
    }
    return prepared;
  }

  return {
    create(index: SearchIndex): void {
      sql.exec(
        `CREATE VIRTUAL TABLE ${tableName(index)} USING fts5 (text, marks, content = '', tokenize = 'unicode61 remove_diacritics 0');
         INSERT INTO ${tableName(index)} (${tableName(index)}, rank) VALUES ('secure-delete', 1)`,
      );
    },
    drop(index: SearchIndex): void {
      statements.delete(index.id);
      cachedTexts.delete(index.id);
      staleIndexes.delete(index.id);
      changedRows.delete(index.id);
      sql.exec(`DROP TABLE IF EXISTS ${tableName(index)}`);
    },
    insert(index: SearchIndex, row: number, { text, marks }: TextIndexEntry): void {
      cachedTexts.get(index.id)?.delete(row);
      of(index).insert.run(row, text, marks);
    },
    /** Returns whether the index is of format 1, which kept the words of removed documents. */
    isOutdated(index: SearchIndex): boolean {
      const found = prepare(sql, "SELECT sql FROM sqlite_schema WHERE name = ?").get(tableName(index));
      return String(found?.["0"]).includes("contentless_delete");
    },
    remove(index: SearchIndex, row: number, { text, marks }: TextIndexEntry): void {
      cachedTexts.get(index.id)?.delete(row);
      of(index).remove.run(row, text, marks);
    },
    recordDeletion(index: SearchIndex): void {
      staleIndexes.set(index.id, index);
    },
    recordChange(index: SearchIndex): void {
      const changed = (changedRows.get(index.id) ?? 0) + 1;
      const isDue = changed % CHANGES_BEFORE_REWRITE === 0 && 4 * changed >= rowCount(sql, index);
      changedRows.set(index.id, isDue ? 0 : changed);
      if (isDue) staleIndexes.set(index.id, index);
    },
    get needRewrite(): boolean {
      return staleIndexes.size > 0;
    },
    /** Rewrites some pages (https://www.sqlite.org/fts5.html#the_merge_command). */
    rewriteSome(): void {
      const [index] = staleIndexes.values();
      if (index === undefined) return;
      const { insert, remove } = of(index);
      if (!isRewriting) {
        // FTS5 rewrites an index only by merging its segments, so there must be a second one.
        insert.run(FILLER_ROW, "filler", "");
        remove.run(FILLER_ROW, "filler", "");
      }
      const before = numberOf(changes.get()?.["0"]);
      // A negative number starts a rewrite of the whole index.
      of(index).merge.run(isRewriting ? PAGES_AT_ONCE : -PAGES_AT_ONCE);
      isRewriting = numberOf(changes.get()?.["0"]) - before >= 2;
      if (!isRewriting) staleIndexes.delete(index.id);
    },
    /** Finds rows with all words first, then rows with rarer words, at a bounded cost per word. FTS5's `bm25` would rank every match. */
    find(index: SearchIndex, terms: readonly Term[], filters: readonly Filter[]): { rows: number[]; hasMore: boolean } {
      if (terms.length === 0) return { rows: [], hasMore: false };
      const marks = filters.map(({ path, value }) => filterMark(index.filterFields.indexOf(path.join(".")), value));
      const newest = (requested: readonly Term[]) =>
        of(index)
          .newest.all(matchExpression(requested, marks))
          .map((row) => numberOf(row["0"]));
      const found = terms.length === 1 ? [newest(terms)] : [newest(terms), ...terms.map((term) => newest([term]))];
      const rarest = new Set(found.toSorted((a, b) => a.length - b.length).flat());
      const rows = [...rarest].slice(0, MAX_SEARCH_RESULTS).toSorted((a, b) => b - a);
      return { rows, hasMore: rarest.size > MAX_SEARCH_RESULTS };
    },
    rows(index: SearchIndex): number[] {
      return prepare(sql, `SELECT id FROM ${tableName(index)}_docsize ORDER BY id`)
        .all()
        .map((row) => numberOf(row["0"]));
    },
    textAt(index: SearchIndex, row: number, read: () => string | null): string | null {
      const texts = cachedTexts.get(index.id) ?? emptyCache();
      cachedTexts.set(index.id, texts);
      const cached = texts.get(row);
      if (cached !== undefined) return cached;
      const text = read()?.toLowerCase() ?? null;
      if (text !== null) texts.set(row, text);
      return text;
    },
    get cachedTextCount(): number {
      return [...cachedTexts.values()].reduce((sum, { size }) => sum + size, 0);
    },
    clearCaches(): void {
      statements.clear();
      cachedTexts.clear();
    },
  };
}

const emptyCache = () =>
  new LRUCache<number, string>({ maxSize: CACHED_LETTERS, sizeCalculation: ({ length }) => length + LETTERS_OF_ENTRY });

function rowCount(sql: DatabaseSync, index: SearchIndex): number {
  return numberOf(prepare(sql, `SELECT count(*) FROM ${tableName(index)}_docsize`).get()?.["0"]);
}

function tableName(index: SearchIndex): string {
  return `search_${index.id}`;
}

export function textIndexEntry(index: SearchIndex, value: Json): TextIndexEntry | null {
  const text = fieldAt(value, index.searchField.split("."));
  if (typeof text !== "string") return null;
  const marks = index.filterFields.map((field, i) => filterMark(i, fieldAt(value, field.split("."))));
  return { text, marks: marks.join(" ") };
}

/** Returns the key of a document's filter values. Only documents with the filtered values affect a search. */
export function filterKey(index: SearchIndex, value: Json): Uint8Array {
  return encodeKey(index.filterFields.map((field) => fieldAt(value, field.split("."))));
}

export function searchPrefix(index: SearchIndex, filters: readonly Filter[]): Uint8Array {
  const values: (Json | undefined)[] = [];
  for (const field of index.filterFields) {
    const filter = filters.find(({ path }) => path.join(".") === field);
    if (filter === undefined) break;
    values.push(filter.value);
  }
  return encodeKey(values);
}
