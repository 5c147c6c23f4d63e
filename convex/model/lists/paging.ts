import type { PaginationOptions, PaginationResult } from "convex/server";

const PAGE_SIZE = 200;

export const LIST_LIMIT = PAGE_SIZE + 1;

export function pageOf(options: PaginationOptions, given = 0): PaginationOptions {
  return { ...options, numItems: Math.max(Math.min(Math.trunc(options.numItems), PAGE_SIZE) - given, 1) };
}

export type RowsQuery<Row> = {
  take(limit: number): Promise<Row[]>;
  paginate(options: PaginationOptions): Promise<PaginationResult<Row>>;
};

/** Returns an empty last page for a cursor of an earlier build's index, which open pages of that build send until they are reloaded. */
export async function pageFrom<Row>(rows: () => RowsQuery<Row>, options: PaginationOptions): Promise<PaginationResult<Row>> {
  try {
    return await rows().paginate(options);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.includes("InvalidCursor")) throw error;
    return { page: options.cursor === null ? await rows().take(options.numItems) : [], isDone: true, continueCursor: "" };
  }
}
