import { api } from "#convex/_generated/api";
import type { FunctionReference } from "convex/server";
import { serviceConvex } from "~/features/accounts/session/convex/service-client.server";
import type { AppConfig } from "~/config";
import { refusalOf } from "~/lib/data/error-responses";
import { imageServiceFor } from "~/features/images/serve/image-service.server";

const contentApi = api.accounts.belongings;
const PAGE = 100;

export type Row = Record<string, unknown> & { id: string; name: string };

export type SelectedPlace = { kind: "design" | "project"; id: string };
export type WholeSelection = { kind: "design" | "image"; place: SelectedPlace; ids: string[]; until: number };

/** A user's content; each page checks permissions again and skips deleted items. Throws when the session ends. */
export type ContentReader = {
  projects(): AsyncIterable<Row>;
  designs(projectId: string): AsyncIterable<Row>;
  images(designId: string): AsyncIterable<Row>;
  chosenImages(ids: string[]): AsyncIterable<Row>;
  chosenDesigns(ids: string[]): AsyncIterable<Row>;
  selected(selection: WholeSelection): AsyncIterable<Row>;
  /** Returns the file, rotated like the image; null when the image was deleted or is no longer accessible. */
  original(image: Row, signal: AbortSignal): Promise<Response | null>;
};

export function contentReader({ sessionId, userId }: { sessionId: string; userId: string }, config: AppConfig): ContentReader {
  const convex = serviceConvex(config);

  const list = (query: FunctionReference<"query">, args: Record<string, string> = {}) => listAll(convex, query, { sessionId, ...args });

  async function* chosen(query: FunctionReference<"query">, ids: string[]): AsyncGenerator<Row> {
    for (let start = 0; start < ids.length; start += PAGE) {
      yield* await convex.query(query, { sessionId, ids: ids.slice(start, start + PAGE) });
    }
  }

  return {
    chosenImages: (ids) => chosen(contentApi.chosenImages, ids),
    chosenDesigns: (ids) => chosen(contentApi.chosenDesigns, ids),
    async *selected(selection) {
      // The first manual reordering can restart the pages, so rows can repeat.
      const seen = new Set<string>();
      let cursor: string | null = null;
      for (let more = true; more;) {
        const answer: Page | null = await convex
          .query<FunctionReference<"query">>(contentApi.selected, { sessionId, ...selection, cursor })
          .catch(nullIfNotFound);
        if (!answer) return;
        yield* unseen(answer.page, seen);
        cursor = answer.continueCursor;
        more = !answer.isDone;
      }
    },
    projects: () => list(contentApi.projects),
    designs: (projectId) => list(contentApi.designs, { projectId }),
    images: (designId) => list(contentApi.images, { designId }),
    original: ({ id: imageId }, signal) => imageServiceFor(config).file({ userId, sessionId, imageId }, signal).catch(nullIfNotFound),
  };
}

export async function* listAll(
  convex: ReturnType<typeof serviceConvex>,
  query: FunctionReference<"query">,
  args: Record<string, string | number>,
): AsyncGenerator<Row> {
  // Rows are sorted by last change: a row that changes during the download moves to the end and is read twice.
  const seen = new Set<string>();
  let cursor: string | null = null;
  for (let more = true; more;) {
    const answer: Page | null = await convex.query(query, { ...args, paginationOpts: { cursor, numItems: PAGE } }).catch(nullIfNotFound);
    if (!answer) return;
    yield* unseen(answer.page, seen);
    cursor = answer.continueCursor;
    more = !answer.isDone;
  }
}

function* unseen(page: Row[], seen: Set<string>): Generator<Row> {
  for (const row of page) {
    if (seen.has(row.id)) continue;
    seen.add(row.id);
    yield row;
  }
}

type Page = { page: Row[]; isDone: boolean; continueCursor: string };

export function nullIfNotFound(error: unknown): null {
  if (refusalOf(error)?.code === "not_found") return null;
  throw error;
}
