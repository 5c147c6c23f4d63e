import { Buffer } from "node:buffer";
import type { Index, Table } from "../storage/catalog.ts";
import { fieldAt, isFields, type JsonObject } from "../values/canonical.ts";
import { DamagedDataError } from "../values/errors.ts";
import { encodeKey } from "../values/keys.ts";
import type { Json } from "../values/types.ts";

export type Document = {
  readonly id: string;
  readonly table: Table;
  readonly key: Uint8Array;
  readonly size: number;
  readonly text: string;
  readonly row: number | null;
  readonly pending: boolean;
  value: JsonObject | null;
  keys: Map<number, Uint8Array> | null;
};

export function idKey(id: string): Uint8Array {
  return encodeKey([id]);
}

export function parseDocument(text: string): JsonObject {
  const value = parseStored(text);
  if (!isFields(value)) throw new DamagedDataError("a stored document is not an object");
  return value;
}

function parseStored(text: string): Json {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new DamagedDataError("a stored document cannot be parsed", error);
  }
}

export function idOf(value: JsonObject): string {
  const id = value["_id"];
  if (typeof id !== "string") throw new DamagedDataError("a stored document has no id");
  return id;
}

export function valueOf(document: Document): JsonObject {
  document.value ??= parseDocument(document.text);
  return document.value;
}

export function keyIn(index: Index, document: Document): Uint8Array {
  if (index === index.table.byId) return document.key;
  document.keys ??= new Map();
  const cached = document.keys.get(index.id);
  if (cached !== undefined) return cached;
  const key = entryKey(index, valueOf(document), document.id);
  document.keys.set(index.id, key);
  return key;
}

export function entryKey(index: Index, value: Json, id: string): Uint8Array {
  const values = index.paths.map((path) => fieldAt(value, path));
  if (index !== index.table.byId) values.push(id);
  return encodeKey(values);
}

export function idInKey(table: Table, key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString("latin1", key.length - 1 - table.idLength, key.length - 1);
}
