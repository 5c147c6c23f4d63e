import { useQueries } from "~/lib/data/use-queries";
import { type FunctionReference, getFunctionName } from "convex/server";
import { useState } from "react";
import { useStableRows } from "~/lib/data/pagination/stable-rows";
import { refusalOf } from "~/lib/data/error-responses";
import { useLastDefined } from "~/lib/ui/use-last-defined";
import { api } from "#convex/_generated/api";
import type { Comment, Pin, Thread, ThreadFilter } from "../optimistic";

type Page<Row> = { page: Row[]; isDone: boolean; continueCursor: string };

type Rows<Row> = {
  rows: Row[];
  isLoading: boolean;
  more?: () => void;
};

const THREADS = 20;
const REPLIES = 50;

export const useThreads = (itemId: string, filter: ThreadFilter, isOn: boolean): Rows<Thread> =>
  usePages<Thread>(api.comments.listThreads, { itemId, filter }, THREADS, isOn);

export const useReplies = (threadId: string, isOn: boolean): Rows<Comment> =>
  usePages<Comment>(api.comments.listReplies, { threadId }, REPLIES, isOn);

function usePages<Row>(query: FunctionReference<"query">, args: Record<string, string>, numItems: number, isOn: boolean): Rows<Row> {
  const of = JSON.stringify([getFunctionName(query), args]);
  const [later, setLater] = useState<{ of: string; cursors: string[] }>({ of, cursors: [] });
  const cursors = [null, ...(later.of === of ? later.cursors : [])];
  const requests = cursors.map(
    (cursor, index) => [String(index), { query, args: { ...args, paginationOpts: { numItems, cursor } } }] as const,
  );
  const answers: Record<string, Page<Row> | Error | undefined> = useQueries(isOn ? Object.fromEntries(requests) : {});
  const pages: Page<Row>[] = [];
  for (const index of cursors.keys()) {
    const answer = answered(answers[index]);
    if (!answer) break;
    pages.push(answer);
  }
  const last = pages.at(-1);
  const isLoading = isOn && pages.length < cursors.length && !(answers[pages.length] instanceof Error);
  const more = () => last && setLater({ of, cursors: [...cursors.slice(1).filter((each) => each !== null), last.continueCursor] });
  return {
    rows: useStableRows(pages.flatMap(({ page }) => page)),
    isLoading,
    ...(last && !last.isDone && !isLoading && { more }),
  };
}

function answered<Answer>(answer: Answer | Error | undefined): Answer | undefined {
  if (!(answer instanceof Error)) return answer;
  if (refusalOf(answer)) return undefined;
  throw answer;
}

export function usePins(itemId: string, isOn: boolean): Pin[] {
  const { pins }: { pins?: Pin[] | Error } = useQueries(isOn ? { pins: { query: api.comments.listPins, args: { itemId } } } : {});
  return answered(pins) ?? NONE;
}

const NONE: Pin[] = [];

/** Returns null for a deleted thread, undefined while it loads. */
export function useThread(threadId: string | null): Thread | null | undefined {
  const { thread }: { thread?: Thread | Error } = useQueries(
    threadId === null ? {} : { thread: { query: api.comments.getThread, args: { threadId } } },
  );
  const found = answered(thread);
  const last = useLastDefined(found);
  if (threadId === null || thread instanceof Error) return null;
  return found ?? (last?._id === threadId ? last : undefined);
}
