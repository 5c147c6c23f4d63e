import { Buffer } from "node:buffer";
import type { Index, Table } from "../storage/catalog.ts";
import { fieldAt, isFields, type JsonObject } from "../values/canonical.ts";
import { encodeKey } from "../values/keys.ts";
import type { Json } from "../values/types.ts";

/** A document as a transaction holds it. `row` is null until it is stored. */
export type Document = {
  readonly id: string;
  readonly table: Table;
  /** Its key in by_id. */
  readonly key: Uint8Array;
  readonly size: number;
  readonly text: string;
  readonly row: number | null;
  /** True while it holds commit timestamps that are not known yet. */
  readonly pending: boolean;
  /** Parsed from the text when first needed. */
  value: JsonObject | null;
  /** Its keys in the other indexes, by the index's id, made when first needed. */
  keys: Map<number, Uint8Array> | null;
};

export function idKey(id: string): Uint8Array {
  return encodeKey([id]);
}

export function parseDocument(text: string): JsonObject {
  const value: Json = JSON.parse(text);
  if (!isFields(value)) throw new TypeError("A stored document is no object.");
  return value;
}

/** The id that every stored document holds. */
export function idOf(value: JsonObject): string {
  const id = value["_id"];
  if (typeof id !== "string") throw new TypeError("A stored document has no id.");
  return id;
}

export function valueOf(document: Document): JsonObject {
  document.value ??= parseDocument(document.text);
  return document.value;
}

/** A document's key in an index of its table: the indexed values, `_creationTime`, `_id`. */
export function keyIn(index: Index, document: Document): Uint8Array {
  if (index === index.table.byId) return document.key;
  document.keys ??= new Map();
  const known = document.keys.get(index.id);
  if (known !== undefined) return known;
  const key = entryKey(index, valueOf(document), document.id);
  document.keys.set(index.id, key);
  return key;
}

export function entryKey(index: Index, value: Json, id: string): Uint8Array {
  const values = index.paths.map((path) => fieldAt(value, path));
  if (index !== index.table.byId) values.push(id);
  return encodeKey(values);
}

/** The id at the end of an entry's key (a tag, the id's characters, the end mark). */
export function idInKey(table: Table, key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString("latin1", key.length - 1 - table.idLength, key.length - 1);
}
