import { filterKey, textIndexEntry, type TextIndexes } from "../search/text-index.ts";
import { equalEntries, vectorIndexEntry, type VectorIndexes } from "../search/vector-index.ts";
import type { Catalog, Index, SearchIndex, VectorIndex } from "../storage/catalog.ts";
import type { DocumentStore } from "../storage/documents.ts";
import { canonicalize, DOCUMENT_LIMITS, taggedForm, type JsonObject } from "../values/canonical.ts";
import { compareKeys } from "../values/keys.ts";
import type { Json, Timestamp } from "../values/types.ts";
import { keyIn, valueOf, type Document } from "./document.ts";
import { integerJson } from "./query/filter.ts";
import type { Change } from "./overlay.ts";
import type { Subscriptions } from "./subscriptions.ts";

export function applyChanges(
  changes: Iterable<Change>,
  ts: Timestamp,
  {
    store,
    catalog,
    textIndexes,
    vectorIndexes,
  }: { store: DocumentStore; catalog: Catalog; textIndexes: TextIndexes; vectorIndexes: VectorIndexes },
  subscriptions: Subscriptions,
  affected: Set<string>,
): Change[] {
  const applied: Change[] = [];
  for (const change of changes) {
    const { table, before } = change;
    const after = change.after?.pending ? resolveCommitTs(change.after, ts) : change.after;
    if (before?.text === after?.text) continue;
    if (after !== null) catalog.store(table);
    const row = writeDocument(before, after, store);
    for (const index of table.indexes.values()) {
      const oldKey = before && keyIn(index, before);
      const newKey = after && keyIn(index, after);
      const same = oldKey !== null && newKey !== null && compareKeys(oldKey, newKey) === 0;
      if (index !== table.byId && !same) moveEntry(index, oldKey, newKey, row, store);
      if (!subscriptions.has(index.id)) continue;
      if (oldKey !== null) subscriptions.collect(index.id, oldKey, affected);
      if (newKey !== null && !same) subscriptions.collect(index.id, newKey, affected);
    }
    for (const index of table.searchIndexes.values()) {
      writeWords(index, before, after, row, textIndexes);
      if (!subscriptions.has(index.id)) continue;
      for (const document of [before, after]) {
        if (document) subscriptions.collect(index.id, filterKey(index, valueOf(document)), affected);
      }
    }
    for (const index of table.vectorIndexes.values()) writeVector(index, before, after, row, vectorIndexes);
    applied.push({ ...change, after });
  }
  return applied;
}

function writeDocument(before: Document | null, after: Document | null, store: DocumentStore): number {
  const row = before?.row ?? null;
  if (after === null) {
    if (row !== null) store.remove(row);
    return row ?? 0;
  }
  if (row === null) return store.insert(after.key, after.size, after.text);
  store.update(row, after.size, after.text);
  return row;
}

function writeWords(index: SearchIndex, before: Document | null, after: Document | null, row: number, textIndexes: TextIndexes): void {
  const old = before && textIndexEntry(index, valueOf(before));
  const now = after && textIndexEntry(index, valueOf(after));
  if (old?.text === now?.text && old?.marks === now?.marks) return;
  if (old !== null) textIndexes.remove(index, row, old);
  if (now !== null) textIndexes.insert(index, row, now);
  if (after === null) textIndexes.recordDeletion(index);
  else textIndexes.recordChange(index);
}

function writeVector(index: VectorIndex, before: Document | null, after: Document | null, row: number, vectorIndexes: VectorIndexes): void {
  const old = before && vectorIndexEntry(index, valueOf(before));
  const now = after && vectorIndexEntry(index, valueOf(after));
  if (old !== null && now !== null && equalEntries(old, now)) return;
  if (old !== null) vectorIndexes.remove(index, row, old);
  if (now !== null) vectorIndexes.insert(index, row, now);
}

function moveEntry(index: Index, oldKey: Uint8Array | null, newKey: Uint8Array | null, row: number, store: DocumentStore): void {
  if (oldKey !== null) store.removeEntry(index.id, oldKey);
  if (newKey !== null) store.insertEntry(index.id, newKey, row);
}

function resolveCommitTs(document: Document, ts: Timestamp): Document {
  const value = withCommitTs(valueOf(document), integerJson(ts));
  const { text, size } = canonicalize(value, DOCUMENT_LIMITS);
  return { ...document, text, size, pending: false, value: null, keys: null };
}

function withCommitTs(value: Json, ts: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((element) => withCommitTs(element, ts));
  return taggedForm(value) === "$commitTs" ? ts : mapFields(value, (field) => withCommitTs(field, ts));
}

function mapFields(value: JsonObject, map: (field: Json) => Json): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, map(field)]));
}
