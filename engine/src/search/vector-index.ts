import { Buffer } from "node:buffer";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { VectorIndex } from "../storage/catalog.ts";
import { bytesOf, numberOf, prepare, textOf } from "../storage/rows.ts";
import { eightBytes, fieldAt, taggedForm } from "../values/canonical.ts";
import type { Json } from "../values/types.ts";
import { filterMark } from "./filter-mark.ts";

/** `vector` has length 1, or is zero. */
export type VectorIndexEntry = { vector: Float32Array; marks: string[] };

/** Vectors one after the other in `values`, in the order of `rows`. `next` is the row to continue after, or null at the end. */
export type VectorSlice = { rows: number[]; values: Float32Array; next: number | null };

/** Each index is a table of vectors by row and, for its filters, a table of rows by mark. */
export type VectorIndexes = ReturnType<typeof openVectorIndexes>;

export function openVectorIndexes(sql: DatabaseSync) {
  const statements = new Map<number, ReturnType<typeof prepareStatements>>();

  function of(index: VectorIndex) {
    let prepared = statements.get(index.id);
    if (prepared === undefined) statements.set(index.id, (prepared = prepareStatements(sql, index)));
    return prepared;
  }

  function markedRows(index: VectorIndex, marks: readonly string[], after: number, count: number): { rows: number[]; isEnd: boolean } {
    const perMark = Math.ceil(count / marks.length);
    const rows = new Set<number>();
    let last = Infinity;
    for (const mark of marks) {
      const found = of(index).marked.all(mark, after, perMark);
      for (const row of found) rows.add(numberOf(row["0"]));
      if (found.length === perMark) last = Math.min(last, numberOf(found.at(-1)?.["0"]));
    }
    // Rows beyond the shortest list may lack those of other marks.
    return { rows: [...rows].filter((row) => row <= last).toSorted((a, b) => a - b), isEnd: last === Infinity };
  }

  return {
    create(index: VectorIndex): void {
      const name = tableName(index);
      sql.exec(
        `CREATE TABLE ${name} (row INTEGER PRIMARY KEY, vector BLOB NOT NULL);
         CREATE TABLE ${name}_filters (mark TEXT NOT NULL, row INTEGER NOT NULL, PRIMARY KEY (mark, row)) WITHOUT ROWID`,
      );
    },
    drop(index: VectorIndex): void {
      statements.delete(index.id);
      sql.exec(`DROP TABLE IF EXISTS ${tableName(index)}; DROP TABLE IF EXISTS ${tableName(index)}_filters`);
    },
    insert(index: VectorIndex, row: number, { vector, marks }: VectorIndexEntry): void {
      of(index).insert.run(row, bytesOfVector(vector));
      for (const mark of marks) of(index).insertMark.run(mark, row);
    },
    remove(index: VectorIndex, row: number, { marks }: VectorIndexEntry): void {
      of(index).remove.run(row);
      for (const mark of marks) of(index).removeMark.run(mark, row);
    },
    count(index: VectorIndex): { vectors: number; marks: number } {
      const countOf = (name: string) => numberOf(prepare(sql, `SELECT count(*) FROM ${name}`).get()?.["0"]);
      return { vectors: countOf(tableName(index)), marks: countOf(`${tableName(index)}_filters`) };
    },
    has(index: VectorIndex, row: number, { vector, marks }: VectorIndexEntry): boolean {
      const found = of(index).at.get(row);
      if (found === undefined || Buffer.compare(bytesOf(found["0"]), bytesOfVector(vector)) !== 0) return false;
      return marks.every((mark) => of(index).mark.get(mark, row) !== undefined);
    },
    /** Reads up to `count` rows after a row, only those with one of the marks unless `marks` is null. */
    read(index: VectorIndex, marks: readonly string[] | null, after: number, count: number): VectorSlice {
      if (marks === null) {
        const slice = toSlice(of(index).slice.get(after, count));
        return { ...slice, next: slice.rows.length < count ? null : (slice.rows.at(-1) ?? null) };
      }
      if (marks.length === 0) return { rows: [], values: new Float32Array(), next: null };
      const { rows, isEnd } = markedRows(index, marks, after, count);
      return { ...toSlice(of(index).atRows.get(JSON.stringify(rows))), next: isEnd ? null : (rows.at(-1) ?? null) };
    },
    clearCaches(): void {
      statements.clear();
    },
  };
}

function prepareStatements(sql: DatabaseSync, index: VectorIndex) {
  const name = tableName(index);
  // One concatenated value is read in half the time of one value per row.
  const concatenated = (source: string) =>
    prepare(sql, `SELECT group_concat(row), CAST(group_concat(vector, '') AS BLOB) FROM (SELECT row, vector FROM ${name} ${source})`);
  return {
    insert: sql.prepare(`INSERT INTO ${name} (row, vector) VALUES (?, ?)`),
    remove: sql.prepare(`DELETE FROM ${name} WHERE row = ?`),
    insertMark: sql.prepare(`INSERT INTO ${name}_filters (mark, row) VALUES (?, ?)`),
    removeMark: sql.prepare(`DELETE FROM ${name}_filters WHERE mark = ? AND row = ?`),
    at: prepare(sql, `SELECT vector FROM ${name} WHERE row = ?`),
    mark: prepare(sql, `SELECT 1 FROM ${name}_filters WHERE mark = ? AND row = ?`),
    marked: prepare(sql, `SELECT row FROM ${name}_filters WHERE mark = ? AND row > ? ORDER BY row LIMIT ?`),
    slice: concatenated("WHERE row > ? ORDER BY row LIMIT ?"),
    atRows: concatenated("WHERE row IN (SELECT value FROM json_each(?)) ORDER BY row"),
  };
}

type Cells = ReturnType<StatementSync["get"]>;

function toSlice(cells: Cells): { rows: number[]; values: Float32Array } {
  if (cells === undefined || cells["0"] === null) return { rows: [], values: new Float32Array() };
  return { rows: textOf(cells["0"]).split(",").map(Number), values: vectorOfBytes(bytesOf(cells["1"])) };
}

const bytesOfVector = ({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array => new Uint8Array(buffer, byteOffset, byteLength);

function vectorOfBytes(bytes: Uint8Array): Float32Array {
  const aligned = bytes.byteOffset % Float32Array.BYTES_PER_ELEMENT === 0 ? bytes : bytes.slice();
  return new Float32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / Float32Array.BYTES_PER_ELEMENT);
}

const tableName = (index: VectorIndex): string => `vector_${index.id}`;

/** Returns null for a document whose field is not a vector of the index's length; the index does not contain it. */
export function vectorIndexEntry(index: VectorIndex, value: Json): VectorIndexEntry | null {
  const elements = fieldAt(value, index.vectorField.split("."));
  if (!Array.isArray(elements) || elements.length !== index.dimensions) return null;
  const vector = unitVector(elements.map(numberIn));
  if (vector === null) return null;
  const marks = index.filterFields.map((field, place) => filterMark(place, fieldAt(value, field.split("."))));
  return { vector: Float32Array.from(vector), marks };
}

export function equalEntries(one: VectorIndexEntry, other: VectorIndexEntry): boolean {
  const sameMarks = one.marks.every((mark, place) => mark === other.marks[place]);
  return sameMarks && Buffer.compare(bytesOfVector(one.vector), bytesOfVector(other.vector)) === 0;
}

/** Scales a vector to length 1, so that a product is the cosine. Returns null unless all elements are finite. */
export function unitVector(elements: readonly number[]): Float64Array | null {
  const largest = elements.reduce((max, element) => Math.max(max, Math.abs(element)), 0);
  if (!Number.isFinite(largest)) return null;
  const vector = Float64Array.from(elements);
  if (largest === 0) return vector.fill(0);
  // Squares of very large or small elements would not fit into a number.
  for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] ?? 0) / largest;
  const length = Math.hypot(...vector);
  return vector.map((element) => element / length);
}

function numberIn(json: Json): number {
  if (typeof json === "number") return json;
  if (typeof json !== "object" || json === null || Array.isArray(json) || taggedForm(json) !== "$float") return Number.NaN;
  return eightBytes(json["$float"], "$float").readDoubleLE();
}
