import { createHash } from "node:crypto";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { SearchIndex } from "../storage/catalog.ts";
import { numberOf, prepare } from "../storage/rows.ts";
import { fieldAt } from "../values/canonical.ts";
import { encodeKey } from "../values/keys.ts";
import { MAX_SEARCH_RESULTS } from "../values/limits.ts";
import type { Json } from "../values/types.ts";
import { matchExpression, type Term } from "./terms.ts";

/** What a document gives to a text index: the text, and a mark for each filter field's value. Null when its field is no text. */
export type Indexed = { text: string; marks: string };
export type Filter = { path: readonly string[]; value: Json | undefined };

/**
 * Text indexes: an FTS5 table each (https://www.sqlite.org/fts5.html), which keeps no copy of the text. A filter field's value
 * stands beside the text as one word made of the field's place and the value's hash, so that FTS5 itself finds the documents
 * that have both words and values.
 */
export type TextIndexes = ReturnType<typeof textIndexes>;

export function textIndexes(sql: DatabaseSync) {
  const statements = new Map<number, { insert: StatementSync; remove: StatementSync; newest: StatementSync }>();

  function of(index: SearchIndex) {
    let known = statements.get(index.id);
    if (known === undefined) {
      const name = tableName(index);
      known = {
        insert: sql.prepare(`INSERT INTO ${name} (rowid, text, marks) VALUES (?, ?, ?)`),
        remove: sql.prepare(`DELETE FROM ${name} WHERE rowid = ?`),
        newest: prepare(sql, `SELECT rowid FROM ${name} WHERE ${name} MATCH ? ORDER BY rowid DESC LIMIT ${MAX_SEARCH_RESULTS}`),
      };
      statements.set(index.id, known);
    }
    return known;
  }

  return {
    create(index: SearchIndex): void {
      sql.exec(
        `CREATE VIRTUAL TABLE ${tableName(index)} USING fts5
         (text, marks, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 0')`,
      );
    },
    drop(index: SearchIndex): void {
      statements.delete(index.id);
      sql.exec(`DROP TABLE IF EXISTS ${tableName(index)}`);
    },
    insert(index: SearchIndex, row: number, { text, marks }: Indexed): void {
      of(index).insert.run(row, text, marks);
    },
    remove(index: SearchIndex, row: number): void {
      of(index).remove.run(row);
    },
    /**
     * Rows of documents that have any of the words and all of the filters' values, the newest first; at most 1,024. Where there are more, those
     * with all of the words are taken first, and then those with the rarer ones: of each the newest, so that no search costs more than this many
     * rows for each of its words, however many have them (FTS5's own `bm25` would weigh them all, and count each filter's rows besides).
     */
    find(index: SearchIndex, terms: readonly Term[], filters: readonly Filter[]): number[] {
      if (terms.length === 0) return [];
      const marks = filters.map(({ path, value }) => mark(index.filterFields.indexOf(path.join(".")), value));
      const newest = (asked: readonly Term[]) =>
        of(index)
          .newest.all(matchExpression(asked, marks))
          .map((row) => numberOf(row["0"]));
      const found = terms.length === 1 ? [newest(terms)] : [newest(terms), ...terms.map((term) => newest([term]))];
      const rarest = new Set(found.toSorted((a, b) => a.length - b.length).flat());
      return [...rarest].slice(0, MAX_SEARCH_RESULTS).toSorted((a, b) => b - a);
    },
    /** Every row that is indexed, with nothing but its number, for checking. */
    rows(index: SearchIndex): number[] {
      return prepare(sql, `SELECT id FROM ${tableName(index)}_docsize ORDER BY id`)
        .all()
        .map((row) => numberOf(row["0"]));
    },
    /** Tables may be gone after a rollback. */
    forget(): void {
      statements.clear();
    },
  };
}

function tableName(index: SearchIndex): string {
  return `search_${index.id}`;
}

/** What of a document belongs into an index. */
export function indexed(index: SearchIndex, value: Json): Indexed | null {
  const text = fieldAt(value, index.searchField.split("."));
  if (typeof text !== "string") return null;
  const marks = index.filterFields.map((field, i) => mark(i, fieldAt(value, field.split("."))));
  return { text, marks: marks.join(" ") };
}

/**
 * A document's or a search's place for subscriptions: the values of the first filter fields. A search that names them all is told
 * only of documents that have them; one that names none is told of every document of the table.
 */
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

function mark(place: number, value: Json | undefined): string {
  return `f${place}x${createHash("sha256")
    .update(encodeKey([value]))
    .digest("hex")
    .slice(0, 32)}`;
}
