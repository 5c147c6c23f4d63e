import { api } from "#convex/_generated/api";
import type { FunctionReference } from "convex/server";
import { serviceConvex } from "~/accounts/service.server";
import type { AppConfig } from "~/config";
import { refusalOf } from "~/data/refusals";
import { picturesFor } from "~/images/pictures.server";

const belongings = api.accounts.belongings;
/** Rows of one answer: as many are in memory at a time. */
const PAGE = 100;

export type Row = Record<string, unknown> & { id: string; name: string };

/**
 * What somebody has, read while it is written into an archive: page by page, each with the right to it asked anew. What is deleted meanwhile is
 * left out. Throws when the session ends, or the deployment does not answer.
 */
export type Belongings = {
  projects(): AsyncIterable<Row>;
  designs(projectId: string): AsyncIterable<Row>;
  images(designId: string): AsyncIterable<Row>;
  /** Of these images, or designs, in their order, those that are still there. */
  chosenImages(ids: string[]): AsyncIterable<Row>;
  chosenDesigns(ids: string[]): AsyncIterable<Row>;
  /** A picture as it was uploaded, if it is still there and may still be seen. */
  original(imageId: string, signal: AbortSignal): Promise<Response | null>;
};

export function belongingsOf(sessionId: string, config: AppConfig): Belongings {
  const convex = serviceConvex(config);

  const list = (query: FunctionReference<"query">, args: Record<string, string> = {}) => listed(convex, query, { sessionId, ...args });

  async function* chosen(query: FunctionReference<"query">, ids: string[]): AsyncGenerator<Row> {
    for (let start = 0; start < ids.length; start += PAGE) {
      yield* await convex.query(query, { sessionId, ids: ids.slice(start, start + PAGE) });
    }
  }

  return {
    chosenImages: (ids) => chosen(belongings.chosenImages, ids),
    chosenDesigns: (ids) => chosen(belongings.chosenDesigns, ids),
    projects: () => list(belongings.projects),
    designs: (projectId) => list(belongings.designs, { projectId }),
    images: (designId) => list(belongings.images, { designId }),
    original: (imageId, signal) => picturesFor(config).original({ sessionId, imageId }, null, signal).catch(orNone),
  };
}

/** The rows of a query that answers page by page, each once; none where what they are in is gone. */
export async function* listed(
  convex: ReturnType<typeof serviceConvex>,
  query: FunctionReference<"query">,
  args: Record<string, string>,
): AsyncGenerator<Row> {
  // In the order of their last change: what changes meanwhile moves to the end, and comes a second time.
  const seen = new Set<string>();
  let cursor: string | null = null;
  for (let more = true; more;) {
    const answer: Page | null = await convex.query(query, { ...args, paginationOpts: { cursor, numItems: PAGE } }).catch(orNone);
    if (!answer) return;
    for (const row of answer.page) {
      if (seen.has(row.id)) continue;
      seen.add(row.id);
      yield row;
    }
    cursor = answer.continueCursor;
    more = !answer.isDone;
  }
}

type Page = { page: Row[]; isDone: boolean; continueCursor: string };

/** What was deleted while the archive was written is no fault of it. */
export function orNone(error: unknown): null {
  if (refusalOf(error)?.code === "not_found") return null;
  throw error;
}
