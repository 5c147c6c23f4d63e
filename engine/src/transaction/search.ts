import { indexed, type TextIndexes } from "../search/text-index.ts";
import type { SearchIndex } from "../storage/catalog.ts";
import type { DocumentStore } from "../storage/documents.ts";
import { encodeKey } from "../values/keys.ts";
import { idKey, valueOf, type Document } from "./document.ts";
import type { Overlay } from "./overlay.ts";
import type { SearchSource } from "./plan.ts";
import type { Entry } from "./scan.ts";

/** Above every row of the file: documents that are only in an overlay stand here while it is searched. */
const OVERLAY_ROWS = 2 ** 48;

export type SearchGround = {
  store: DocumentStore;
  texts: TextIndexes;
  /** Runs `work` and undoes what it wrote to the file. */
  undone<T>(work: () => T): T;
};

/** The documents that a text search finds, the most relevant first, each with its place in that order as its key. */
export function searchEntries(source: SearchSource, overlay: Overlay, ground: SearchGround): Entry[] {
  const laid = [...overlay.all()].some(({ table }) => table === source.table);
  const documents = laid ? ground.undone(() => searchOverlaid(source, overlay, ground)) : searchStored(source, ground);
  return documents.map((document, place) => ({ ...document, key: encodeKey([place]) }));
}

type Found = { size: number; text: string };

function searchStored({ index, text, equal }: SearchSource, { store, texts }: SearchGround): Found[] {
  return texts.find(index, text, equal).flatMap((row) => store.atRow(row) ?? []);
}

/** What is laid over the file goes into the text index for the moment of the search, so that relevance is one measure for all. */
function searchOverlaid({ index, table, text, equal }: SearchSource, overlay: Overlay, { store, texts }: SearchGround): Found[] {
  const laid = new Map<number, Document>();
  for (const change of overlay.all()) {
    if (change.table !== table) continue;
    const stored = store.get(idKey(change.id));
    if (stored !== null) texts.remove(index, stored.row);
    const row = change.after && insertLaid(index, change.after, OVERLAY_ROWS + laid.size, texts);
    if (row !== null && change.after !== null) laid.set(row, change.after);
  }
  return texts.find(index, text, equal).flatMap((row) => laid.get(row) ?? store.atRow(row) ?? []);
}

function insertLaid(index: SearchIndex, document: Document, row: number, texts: TextIndexes): number | null {
  const words = indexed(index, valueOf(document));
  if (words === null) return null;
  texts.insert(index, row, words);
  return row;
}
