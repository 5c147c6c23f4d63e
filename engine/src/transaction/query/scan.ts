import type { Index } from "../../storage/catalog.ts";
import type { DocumentStore, StoredEntry } from "../../storage/documents.ts";
import { compareKeys, keyAfter } from "../../values/keys.ts";
import { idInKey } from "../document.ts";
import type { Overlay } from "../overlay.ts";

export type Order = "asc" | "desc";
export type Range = { low: Uint8Array; high: Uint8Array };
export type Entry = { key: Uint8Array; size: number; text: string };

const FIRST_CHUNK = 16;
const LARGEST_CHUNK = 512;
const CHUNK_BYTES = 512 * 1024;

/** Reads the file in chunks, so that early stops are cheap and no statement stays open. Includes writes ahead of the current position. */
export class Scan {
  private readonly store: DocumentStore;
  private readonly overlay: Overlay;
  private readonly index: Index;
  private readonly order: Order;
  private low: Uint8Array;
  private high: Uint8Array;
  private chunk: StoredEntry[] = [];
  private at = 0;
  private chunkSize: number;
  private fileIsDone = false;

  constructor(store: DocumentStore, overlay: Overlay, index: Index, range: Range, order: Order, expected?: number) {
    this.store = store;
    this.overlay = overlay;
    this.index = index;
    this.order = order;
    this.low = range.low;
    this.high = range.high;
    this.chunkSize = Math.min(Math.max(expected ?? FIRST_CHUNK, 1), LARGEST_CHUNK);
  }

  next(): Entry | null {
    const stored = this.peekStored();
    const laid = this.overlay.isEmpty ? undefined : this.overlay.first(this.index, this.low, this.high, this.order);
    if (laid !== undefined && (stored === null || this.comesFirst(laid.key, stored.key))) {
      this.moveTo(laid.key);
      return { key: laid.key, size: laid.document.size, text: laid.document.text };
    }
    if (stored === null) return null;
    this.at++;
    this.moveTo(stored.key);
    return stored;
  }

  private peekStored(): StoredEntry | null {
    for (;;) {
      const entry = this.chunk[this.at];
      if (entry === undefined) {
        if (this.fileIsDone) return null;
        this.load();
      } else if (!this.overlay.isEmpty && this.overlay.get(idInKey(this.index.table, entry.key)) !== undefined) {
        this.at++;
      } else {
        return entry;
      }
    }
  }

  private load(): void {
    const last = this.chunk.at(-1);
    const low = last !== undefined && this.order === "asc" ? keyAfter(last.key) : this.low;
    const high = last !== undefined && this.order === "desc" ? last.key : this.high;
    this.chunk =
      this.index === this.index.table.byId
        ? this.loadById(low, high)
        : this.store.range(this.index.id, low, high, this.order, this.chunkSize);
    this.at = 0;
    this.fileIsDone = this.chunk.length < this.chunkSize;
    const bytes = this.chunk.reduce((sum, entry) => sum + entry.text.length, 0);
    const fitting = Math.floor((CHUNK_BYTES * this.chunk.length) / Math.max(bytes, 1));
    this.chunkSize = Math.max(1, Math.min(this.chunkSize * 4, fitting, LARGEST_CHUNK));
  }

  /** Documents of all tables share one order, so the range is limited to this table. */
  private loadById(low: Uint8Array, high: Uint8Array): StoredEntry[] {
    const { documents } = this.index.table;
    const from = compareKeys(low, documents.low) < 0 ? documents.low : low;
    const to = compareKeys(high, documents.high) > 0 ? documents.high : high;
    return this.store.rangeById(from, to, this.order, this.chunkSize);
  }

  private comesFirst(a: Uint8Array, b: Uint8Array): boolean {
    const order = compareKeys(a, b);
    return this.order === "asc" ? order < 0 : order > 0;
  }

  private moveTo(key: Uint8Array): void {
    if (this.order === "asc") this.low = keyAfter(key);
    else this.high = key;
  }
}
