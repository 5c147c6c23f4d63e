import { byRelevance } from "../../search/relevance.ts";
import { termsOf } from "../../search/terms.ts";
import { textIndexEntry, type TextIndexes } from "../../search/text-index.ts";
import type { SearchIndex } from "../../storage/catalog.ts";
import type { DocumentStore } from "../../storage/documents.ts";
import { fieldAt, type JsonObject } from "../../values/canonical.ts";
import { DamagedDataError } from "../../values/errors.ts";
import { encodeKey } from "../../values/keys.ts";
import { idKey, parseDocument, valueOf, type Document } from "../document.ts";
import type { Overlay } from "../overlay.ts";
import type { SearchSource } from "./plan.ts";
import type { Entry } from "./scan.ts";

/** Row numbers from here on are those of documents that only the overlay contains. */
const OVERLAY_ROWS = 2 ** 48;

export type SearchContext = {
  store: DocumentStore;
  textIndexes: TextIndexes;
  undone<T>(work: () => T): T;
};

export type SearchResults = {
  rows: number[];
  hasMore: boolean;
  entryAt: (place: number) => Entry;
};

export function searchResults(source: SearchSource, overlay: Overlay, context: SearchContext): SearchResults {
  const laid = [...overlay.all()].some(({ table }) => table === source.table);
  return laid ? context.undone(() => searchOverlaid(source, overlay, context)) : mostRelevant(source, new Map(), context);
}

/** Indexes the overlay during the search, so that relevance is computed for all documents together. */
function searchOverlaid(source: SearchSource, overlay: Overlay, context: SearchContext): SearchResults {
  const { index, table } = source;
  const { store, textIndexes } = context;
  const laid = new Map<number, Document>();
  for (const change of overlay.all()) {
    if (change.table !== table) continue;
    const stored = store.get(idKey(change.id));
    const old = stored && textIndexEntry(index, parseDocument(stored.text));
    if (stored !== null && old !== null) textIndexes.remove(index, stored.row, old);
    const row = change.after && insertLaid(index, change.after, OVERLAY_ROWS + laid.size, textIndexes);
    if (row !== null && change.after !== null) laid.set(row, change.after);
  }
  return mostRelevant(source, laid, context);
}

function mostRelevant(
  { index, text, equal }: SearchSource,
  laid: ReadonlyMap<number, Document>,
  { store, textIndexes }: SearchContext,
): SearchResults {
  const terms = termsOf(text);
  const path = index.searchField.split(".");
  const { rows, hasMore } = textIndexes.find(index, terms, equal);
  const textIn = (value: JsonObject | null) => {
    const found = value && fieldAt(value, path);
    return typeof found === "string" ? found : null;
  };
  const found = rows.flatMap((row) => {
    const document = laid.get(row);
    const words = document
      ? (textIn(valueOf(document))?.toLowerCase() ?? null)
      : textIndexes.textAt(index, row, () => {
          const stored = store.atRow(row);
          return textIn(stored && parseDocument(stored.text));
        });
    return words === null ? [] : [{ row, text: words }];
  });
  const ranked = byRelevance(found, terms).map(({ row }) => row);
  return {
    rows: ranked,
    hasMore,
    entryAt: (place) => {
      const row = ranked[place] ?? 0;
      const document = laid.get(row) ?? store.atRow(row);
      if (document === null) throw new DamagedDataError("a search index entry has no document");
      return { key: encodeKey([place]), size: document.size, text: document.text };
    },
  };
}

function insertLaid(index: SearchIndex, document: Document, row: number, textIndexes: TextIndexes): number | null {
  const words = textIndexEntry(index, valueOf(document));
  if (words === null) return null;
  textIndexes.insert(index, row, words);
  return row;
}
