import { byRelevance } from "../../search/relevance.ts";
import { termsOf } from "../../search/terms.ts";
import { indexed, type TextIndexes } from "../../search/text-index.ts";
import type { SearchIndex } from "../../storage/catalog.ts";
import type { DocumentStore } from "../../storage/documents.ts";
import { fieldAt } from "../../values/canonical.ts";
import { encodeKey } from "../../values/keys.ts";
import { idKey, parseDocument, valueOf, type Document } from "../document.ts";
import type { Overlay } from "../overlay.ts";
import type { SearchSource } from "./plan.ts";
import type { Entry } from "./scan.ts";

/** Above all rows of the file, for documents only in the overlay. */
const OVERLAY_ROWS = 2 ** 48;

export type SearchContext = {
  store: DocumentStore;
  textIndexes: TextIndexes;
  undone<T>(work: () => T): T;
};

export function searchEntries(source: SearchSource, overlay: Overlay, context: SearchContext): { entries: Entry[]; hasMore: boolean } {
  const laid = [...overlay.all()].some(({ table }) => table === source.table);
  const { documents, hasMore } = laid ? context.undone(() => searchOverlaid(source, overlay, context)) : searchStored(source, context);
  return { entries: documents.map((document, place) => ({ ...document, key: encodeKey([place]) })), hasMore };
}

type Found = { size: number; text: string };
type Results = { documents: Found[]; hasMore: boolean };

function searchStored(source: SearchSource, { store, textIndexes }: SearchContext): Results {
  return mostRelevant(source, textIndexes, (row) => store.atRow(row));
}

/** Indexes the overlay during the search, so that relevance is computed for all documents together. */
function searchOverlaid(source: SearchSource, overlay: Overlay, { store, textIndexes }: SearchContext): Results {
  const { index, table } = source;
  const laid = new Map<number, Document>();
  for (const change of overlay.all()) {
    if (change.table !== table) continue;
    const stored = store.get(idKey(change.id));
    const old = stored && indexed(index, parseDocument(stored.text));
    if (stored !== null && old !== null) textIndexes.remove(index, stored.row, old);
    const row = change.after && insertLaid(index, change.after, OVERLAY_ROWS + laid.size, textIndexes);
    if (row !== null && change.after !== null) laid.set(row, change.after);
  }
  return mostRelevant(source, textIndexes, (row) => laid.get(row) ?? store.atRow(row));
}

function mostRelevant({ index, text, equal }: SearchSource, textIndexes: TextIndexes, at: (row: number) => Found | null): Results {
  const terms = termsOf(text);
  const path = index.searchField.split(".");
  const { rows, hasMore } = textIndexes.find(index, terms, equal);
  const found = rows.flatMap((row) => {
    const document = at(row);
    if (document === null) return [];
    const words = fieldAt(parseDocument(document.text), path);
    return typeof words === "string" ? [{ document, words }] : [];
  });
  return { documents: byRelevance(found, terms).map(({ document }) => document), hasMore };
}

function insertLaid(index: SearchIndex, document: Document, row: number, textIndexes: TextIndexes): number | null {
  const words = indexed(index, valueOf(document));
  if (words === null) return null;
  textIndexes.insert(index, row, words);
  return row;
}
