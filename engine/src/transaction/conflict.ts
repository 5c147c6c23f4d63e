import { filterKey } from "../search/text-index.ts";
import type { Table } from "../storage/catalog.ts";
import { compareKeys } from "../values/keys.ts";
import { keyIn, valueOf, type Document } from "./document.ts";
import type { Change } from "./overlay.ts";
import type { DocumentName, ReadSet } from "./types.ts";

export function findConflict(reads: ReadSet, changes: Iterable<Change>): DocumentName | null {
  for (const { table, id, before, after } of changes) {
    if ([before, after].some((document) => document !== null && isIn(reads, table, document))) return { table: table.name, id };
  }
  return null;
}

function isIn(reads: ReadSet, { indexes, searchIndexes }: Table, document: Document): boolean {
  return reads.some(({ index, low, high }) => {
    const key = keyFor(index);
    return key !== null && compareKeys(key, low) >= 0 && (high === null || compareKeys(key, high) < 0);
  });

  function keyFor(id: number): Uint8Array | null {
    for (const index of indexes.values()) if (index.id === id) return keyIn(index, document);
    for (const index of searchIndexes.values()) if (index.id === id) return filterKey(index, valueOf(document));
    return null;
  }
}
