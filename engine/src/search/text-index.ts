import { createHash } from "node:crypto";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { SearchIndex } from "../storage/catalog.ts";
import { numberOf, prepare } from "../storage/rows.ts";
import { fieldAt } from "../values/canonical.ts";
import { encodeKey } from "../values/keys.ts";
import { MAX_SEARCH_RESULTS } from "../values/limits.ts";
import type { Json } from "../values/types.ts";
import { matchExpression } from "./terms.ts";

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
  const statements = new Map<number, { insert: StatementSync; remove: StatementSync; find: StatementSync }>();

  function of(index: SearchIndex) {
    let known = statements.get(index.id);
    if (known === undefined) {
      const name = tableName(index);
      known = {
        insert: sql.prepare(`INSERT INTO ${name} (rowid, text, marks) VALUES (?, ?, ?)`),
        remove: sql.prepare(`DELETE FROM ${name} WHERE rowid = ?`),
        // The best first; of equals, the newest.
        find: prepare(
          sql,
          `SELECT rowid FROM ${name} WHERE ${name} MATCH ? ORDER BY bm25(${name}, 1.0, 0.0), rowid DESC LIMIT ${MAX_SEARCH_RESULTS}`,
        ),
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
    /** The rows of the documents that match, the most relevant first; at most 1,024. */
    find(index: SearchIndex, text: string, filters: readonly Filter[]): number[] {
      const marks = filters.map(({ path, value }) => mark(index.filterFields.indexOf(path.join(".")), value));
      const expression = matchExpression(text, marks);
      return expression === null
        ? []
        : of(index)
            .find.all(expression)
            .map((row) => numberOf(row["0"]));
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
