import { useState } from "react";
import type { Deployment, DocumentPage, Filter } from "./deployment.ts";
import { type Loaded, useLoaded } from "./hooks.ts";

export type Listing = { table: string; index: string | null; order: "asc" | "desc"; filters: Filter[]; size: number };

export const readPage = (deployment: Deployment, listing: Listing, cursor: string | null): Promise<DocumentPage> => {
  const { table, index, order, filters, size } = listing;
  const paginationOpts = { cursor, numItems: size };
  return deployment.query("dashboard/documents", { table, index, order, filters: JSON.stringify(filters), paginationOpts });
};

export type Pages = Loaded<DocumentPage> & { number: number; previous: () => void; next: () => void; first: () => void };

/** One page of a table, live. Another listing begins at its first page. */
export function usePages(deployment: Deployment, listing: Listing): Pages {
  const key = JSON.stringify([deployment.component, listing]);
  const [state, setState] = useState<{ key: string; cursors: (string | null)[] }>({ key, cursors: [null] });
  const cursors = state.key === key ? state.cursors : [null];
  const cursor = cursors.at(-1) ?? null;
  const loaded = useLoaded(deployment, `${key} ${cursor}`, () => readPage(deployment, listing, cursor));
  return {
    ...loaded,
    number: cursors.length,
    first: () => setState({ key, cursors: [null] }),
    previous: () => setState({ key, cursors: cursors.slice(0, -1) }),
    next: () => loaded.value && setState({ key, cursors: [...cursors, loaded.value.continueCursor] }),
  };
}

/** The selected rows of a page. `clear` also loads the page again. */
export function useSelection(pages: Pages) {
  const [selected, onChange] = useState<ReadonlySet<string>>(new Set());
  const rows = pages.value?.page ?? [];
  const chosen = rows.map(({ _id }) => _id).filter((id) => selected.has(id));
  const clear = () => {
    onChange(new Set());
    pages.reload();
  };
  return { rows, chosen, clear, selection: { selected, onChange } };
}

export function Pager({ pages }: { pages: Pages }) {
  return (
    <nav className="actions" aria-label="Pages">
      <button type="button" disabled={pages.number === 1} onClick={pages.previous}>
        Previous page
      </button>
      <span>Page {pages.number}</span>
      <button type="button" disabled={pages.value?.isDone ?? true} onClick={pages.next}>
        Next page
      </button>
    </nav>
  );
}
