import type { PaginationResult } from "convex/server";

/** From where to where a page reaches. */
export type Place = {
  cursor: string | null;
  /** Where it ends, where it is a part of a page that had grown. Without: where it ended at first, which the deployment keeps. */
  end?: string;
};

/** A later page that is shown. */
type Slot = Place & {
  /** Where it was before the page in front of it came to end elsewhere: that stands until the new one is here. */
  before?: Place;
  /** It has grown: what takes its place once both are here. */
  parts?: [Place, Place];
  /** Shown before, when the list was left: it is waited for on the way back. */
  returning?: true | undefined;
};

/** The later pages of a list that are shown. */
export type Later = {
  /** Which list: its query and arguments. */
  of: string;
  /** How many there are to be. */
  wanted: number;
  slots: Slot[];
};

/** What of an answer tells how its page stands to others. */
type Extent = Pick<PaginationResult<unknown>, "isDone" | "continueCursor" | "splitCursor" | "pageStatus"> & { page: readonly unknown[] };
type AnswerAt = (place: Place) => Extent | undefined;

/** How far a page may grow, and how many there may be. */
type Bounds = { size: number; most: number };

/** What a place is known by among those of a list. */
export const nameOf = ({ cursor, end }: Place): string => JSON.stringify([cursor, end]);

/** All that is to be asked for. */
export const placesOf = ({ slots }: Later): Place[] =>
  slots.flatMap((slot) => [placeOf(slot), ...(slot.before ? [slot.before] : []), ...(slot.parts ?? [])]);

const placeOf = ({ cursor, end }: Place): Place => ({ cursor, ...(end !== undefined && { end }) });

/**
 * Takes the pages on by one step: adds the next that is wanted, has a page begin where the one in front of it now ends, and puts two in the place of one
 * that has grown to more than twice its size. On the whole a page's ends stay where they were (the deployment sees to that while it is looked at), so
 * that a change costs its own page alone.
 * @param start where the first of them begins
 * @returns the same where nothing is to be done
 */
export function followPages(later: Later, start: string | null, answerAt: AnswerAt, { size, most }: Bounds): Later {
  const { slots, wanted } = later;
  let begin = start;
  for (let index = 0; index < wanted; index++) {
    const slot = slots[index];
    if (!slot) return { ...later, slots: [...slots, { cursor: begin }] };
    const { before: earlier, parts } = slot;
    const place = placeOf(slot);
    const answer = answerAt(place);
    if (slot.cursor !== begin) {
      const before = answer || !earlier ? place : earlier;
      return { ...later, slots: slots.with(index, { cursor: begin, before }) };
    }
    if (!answer) return later;
    if (earlier) return { ...later, slots: slots.with(index, place) };
    if (parts?.every(answerAt)) {
      const inTwo = slots.toSpliced(index, 1, ...parts).slice(0, most);
      return { ...later, wanted: Math.max(wanted, Math.min(wanted + 1, most)), slots: inTwo };
    }
    const middle = parts ? null : splitAt(answer, size);
    if (middle !== null) return { ...later, slots: slots.with(index, { ...place, parts: partsOf(place, middle, answer) }) };
    if (answer.isDone) return index + 1 === wanted ? later : { ...later, wanted: index + 1, slots: slots.slice(0, index + 1) };
    begin = answer.continueCursor;
  }
  return later;
}

/** Where a page is to be cut in two, as the deployment advises, or as it has more than twice its rows; null: not. As `usePaginatedQuery` has it. */
function splitAt({ page, pageStatus, splitCursor }: Extent, size: number): string | null {
  const isLarge = pageStatus === "SplitRequired" || page.length > 2 * size || (pageStatus === "SplitRecommended" && page.length > size);
  return isLarge ? (splitCursor ?? null) : null;
}

/** The list's last page goes on without an end of its own: with a page's rows, and what comes after them on the next. */
function partsOf({ cursor }: Place, middle: string, { isDone, continueCursor }: Extent): [Place, Place] {
  return [{ cursor, end: middle }, isDone ? { cursor: middle } : { cursor: middle, end: continueCursor }];
}

/** What was shown where, by the key of its place in the browser's history, the last first to be forgotten. */
const shown = new Map<string, Later>();
const REMEMBERED = 30;

/** Each with where it ends, so that the same rows are there on the way back: who asks anew gets as many as a page has, wherever that ends. */
export function rememberPages(key: string, later: Later, answerAt: AnswerAt): void {
  shown.delete(key);
  if (later.slots.length === 0) return;
  shown.set(key, { ...later, slots: later.slots.map((slot) => endedBy(slot, answerAt(placeOf(slot)))) });
  const [oldest] = shown.keys();
  if (shown.size > REMEMBERED && oldest !== undefined) shown.delete(oldest);
}

/** The list's last page has no end of its own: what comes after it comes to be on it. */
const endedBy = (slot: Slot, answer: Extent | undefined): Slot =>
  answer && !answer.isDone ? { ...slot, end: answer.continueCursor } : slot;

/** The pages that this list had when this place was left. */
export function rememberedPages(key: string, of: string): Later {
  const later = shown.get(key);
  if (later?.of !== of) return { of, wanted: 0, slots: [] };
  return { ...later, slots: later.slots.map((slot) => ({ ...placeOf(slot), returning: true })) };
}

/** They have come, or are waited for no longer. */
export function arrived(later: Later): Later {
  if (!later.slots.some(({ returning }) => returning)) return later;
  return { ...later, slots: later.slots.map((slot) => ({ ...slot, returning: undefined })) };
}
