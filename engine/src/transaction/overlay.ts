import type { Index, Table } from "../storage/catalog.ts";
import { compareKeys } from "../values/keys.ts";
import { keyIn, type Document } from "./document.ts";

export type Change = { readonly id: string; readonly table: Table; readonly before: Document | null; readonly after: Document | null };
export type OverlayEntry = { readonly key: Uint8Array; readonly document: Document };

/** Documents that replace documents in the file: uncommitted writes, or earlier versions for a past state. */
export class Overlay {
  private readonly changes = new Map<string, Change>();
  private readonly entries = new Map<number, OverlayEntry[]>();
  private readonly log: { id: string; previous: Change | undefined }[] = [];

  get isEmpty(): boolean {
    return this.changes.size === 0;
  }

  get(id: string): Change | undefined {
    return this.changes.get(id);
  }

  all(): IterableIterator<Change> {
    return this.changes.values();
  }

  set(change: Change): void {
    const previous = this.changes.get(change.id);
    this.log.push({ id: change.id, previous });
    this.replace(previous, change);
  }

  lay(change: Change): void {
    this.replace(this.changes.get(change.id), change);
  }

  savepoint(): number {
    return this.log.length;
  }

  rollbackTo(savepoint: number): void {
    while (this.log.length > savepoint) {
      const undone = this.log.pop();
      if (undone !== undefined) this.replace(this.changes.get(undone.id), undone.previous);
    }
  }

  first(index: Index, low: Uint8Array, high: Uint8Array, order: "asc" | "desc"): OverlayEntry | undefined {
    const entries = this.entriesOf(index);
    const entry = order === "asc" ? entries[position(entries, low)] : entries[position(entries, high) - 1];
    if (entry === undefined) return undefined;
    return compareKeys(entry.key, low) >= 0 && compareKeys(entry.key, high) < 0 ? entry : undefined;
  }

  private replace(previous: Change | undefined, next: Change | undefined): void {
    const { id, table } = next ?? previous ?? {};
    if (id === undefined || table === undefined) return;
    if (next === undefined) this.changes.delete(id);
    else this.changes.set(id, next);
    for (const index of table.indexes.values()) {
      const entries = this.entries.get(index.id);
      if (entries === undefined) continue;
      if (previous?.after) entries.splice(position(entries, keyIn(index, previous.after)), 1);
      if (next?.after) insert(entries, keyIn(index, next.after), next.after);
    }
  }

  private entriesOf(index: Index): OverlayEntry[] {
    const existing = this.entries.get(index.id);
    if (existing !== undefined) return existing;
    const entries: OverlayEntry[] = [];
    for (const { table, after } of this.changes.values()) {
      if (table === index.table && after !== null) entries.push({ key: keyIn(index, after), document: after });
    }
    entries.sort((a, b) => compareKeys(a.key, b.key));
    this.entries.set(index.id, entries);
    return entries;
  }
}

function insert(entries: OverlayEntry[], key: Uint8Array, document: Document): void {
  entries.splice(position(entries, key), 0, { key, document });
}

function position(entries: readonly OverlayEntry[], key: Uint8Array): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const entry = entries[middle];
    if (entry !== undefined && compareKeys(entry.key, key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
