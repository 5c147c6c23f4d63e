import type { PaginationResult } from "convex/server";

export type PageRange = {
  cursor: string | null;
  /** Set for halves of a split page. Without it, the deployment keeps the end of the page's first result. */
  end?: string;
};

type Slot = PageRange & {
  before?: PageRange;
  parts?: [PageRange, PageRange];
  returning?: true | undefined;
};

export type Later = {
  of: string;
  pageCount: number;
  slots: Slot[];
};

type Extent = Pick<PaginationResult<unknown>, "isDone" | "continueCursor" | "splitCursor" | "pageStatus"> & { page: readonly unknown[] };
type AnswerAt = (range: PageRange) => Extent | undefined;

type Bounds = { size: number; most: number };

export const nameOf = ({ cursor, end }: PageRange): string => JSON.stringify([cursor, end]);

export const rangesOf = ({ slots }: Later): PageRange[] =>
  slots.flatMap((slot) => [rangeOf(slot), ...(slot.before ? [slot.before] : []), ...(slot.parts ?? [])]);

const rangeOf = ({ cursor, end }: PageRange): PageRange => ({ cursor, ...(end !== undefined && { end }) });

export function followPages(later: Later, start: string | null, answerAt: AnswerAt, { size, most }: Bounds): Later {
  const { slots, pageCount } = later;
  let begin = start;
  for (let index = 0; index < pageCount; index++) {
    const slot = slots[index];
    if (!slot) return { ...later, slots: [...slots, { cursor: begin }] };
    const { before: earlier, parts } = slot;
    const range = rangeOf(slot);
    const answer = answerAt(range);
    if (slot.cursor !== begin) {
      const before = answer || !earlier ? range : earlier;
      return { ...later, slots: slots.with(index, { cursor: begin, before }) };
    }
    if (!answer) return later;
    if (earlier) return { ...later, slots: slots.with(index, range) };
    if (parts?.every(answerAt)) {
      const inTwo = slots.toSpliced(index, 1, ...parts).slice(0, most);
      return { ...later, pageCount: Math.max(pageCount, Math.min(pageCount + 1, most)), slots: inTwo };
    }
    const middle = parts ? null : splitAt(answer, size);
    if (middle !== null) return { ...later, slots: slots.with(index, { ...range, parts: partsOf(range, middle, answer) }) };
    if (answer.isDone) return index + 1 === pageCount ? later : { ...later, pageCount: index + 1, slots: slots.slice(0, index + 1) };
    begin = answer.continueCursor;
  }
  return later;
}

function splitAt({ page, pageStatus, splitCursor }: Extent, size: number): string | null {
  const isLarge = pageStatus === "SplitRequired" || page.length > 2 * size || (pageStatus === "SplitRecommended" && page.length > size);
  return isLarge ? (splitCursor ?? null) : null;
}

function partsOf({ cursor }: PageRange, middle: string, { isDone, continueCursor }: Extent): [PageRange, PageRange] {
  return [{ cursor, end: middle }, isDone ? { cursor: middle } : { cursor: middle, end: continueCursor }];
}

const pagesByHistoryEntry = new Map<string, Later>();
const MAX_ENTRIES = 30;

/** Stores each page's end, so that going back shows the same rows. A query without an end returns a full page. */
export function storePages(key: string, later: Later, answerAt: AnswerAt): void {
  pagesByHistoryEntry.delete(key);
  if (later.slots.length === 0) return;
  pagesByHistoryEntry.set(key, { ...later, slots: later.slots.map((slot) => endedBy(slot, answerAt(rangeOf(slot)))) });
  const [oldest] = pagesByHistoryEntry.keys();
  if (pagesByHistoryEntry.size > MAX_ENTRIES && oldest !== undefined) pagesByHistoryEntry.delete(oldest);
}

const endedBy = (slot: Slot, answer: Extent | undefined): Slot =>
  answer && !answer.isDone ? { ...slot, end: answer.continueCursor } : slot;

export function storedPages(key: string | null, of: string): Later {
  const later = key === null ? undefined : pagesByHistoryEntry.get(key);
  if (later?.of !== of) return { of, pageCount: 0, slots: [] };
  return { ...later, slots: later.slots.map((slot) => ({ ...rangeOf(slot), returning: true })) };
}

export function arrived(later: Later): Later {
  if (!later.slots.some(({ returning }) => returning)) return later;
  return { ...later, slots: later.slots.map((slot) => ({ ...slot, returning: undefined })) };
}
