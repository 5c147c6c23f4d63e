import { byRelevance } from "../search/relevance.ts";
import { termsOf } from "../search/terms.ts";
import { indexed, type TextIndexes } from "../search/text-index.ts";
import type { SearchIndex } from "../storage/catalog.ts";
import type { DocumentStore } from "../storage/documents.ts";
import { fieldAt } from "../values/canonical.ts";
import { encodeKey } from "../values/keys.ts";
import { idKey, parseDocument, valueOf, type Document } from "./document.ts";
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

function searchStored(source: SearchSource, { store, texts }: SearchGround): Found[] {
  return mostRelevant(source, texts, (row) => store.atRow(row));
}

/** What is laid over the file goes into the text index for the moment of the search, so that one measure serves for all. */
function searchOverlaid(source: SearchSource, overlay: Overlay, { store, texts }: SearchGround): Found[] {
  const { index, table } = source;
  const laid = new Map<number, Document>();
  for (const change of overlay.all()) {
    if (change.table !== table) continue;
    const stored = store.get(idKey(change.id));
    if (stored !== null) texts.remove(index, stored.row);
    const row = change.after && insertLaid(index, change.after, OVERLAY_ROWS + laid.size, texts);
    if (row !== null && change.after !== null) laid.set(row, change.after);
  }
  return mostRelevant(source, texts, (row) => laid.get(row) ?? store.atRow(row));
}

function mostRelevant({ index, text, equal }: SearchSource, texts: TextIndexes, at: (row: number) => Found | null): Found[] {
  const terms = termsOf(text);
  const path = index.searchField.split(".");
  const found = texts.find(index, terms, equal).flatMap((row) => {
    const document = at(row);
    if (document === null) return [];
    const words = fieldAt(parseDocument(document.text), path);
    return typeof words === "string" ? [{ document, words }] : [];
  });
  return byRelevance(found, terms).map(({ document }) => document);
}

function insertLaid(index: SearchIndex, document: Document, row: number, texts: TextIndexes): number | null {
  const words = indexed(index, valueOf(document));
  if (words === null) return null;
  texts.insert(index, row, words);
  return row;
}
