import type { PaginationResult } from "convex/server";

/** Where a later page begins. */
type Slot = {
  cursor: string | null;
  /** Where it began before the page in front of it came to end elsewhere: it stands until the new one is here. */
  before?: string | null;
  /** Shown before, when the list was left: it is waited for on the way back. */
  returning?: true;
};

/** The later pages of a list that are shown. */
export type Later = {
  /** Which list: its query and arguments. */
  of: string;
  /** How many there are to be. */
  wanted: number;
  slots: Slot[];
};

type AnswerAfter = (cursor: string | null) => Pick<PaginationResult<unknown>, "isDone" | "continueCursor"> | undefined;

/**
 * Takes the pages on by one step: adds the next that is wanted, and has a page begin where the one in front of it now ends. On the whole a page's
 * ends stay where they were (the deployment sees to that while it is looked at), so that a change costs its own page alone.
 * @param start where the first of them begins
 * @returns the same where nothing is to be done
 */
export function followPages(later: Later, start: string | null, answerAfter: AnswerAfter): Later {
  const { slots, wanted } = later;
  let begin = start;
  for (let index = 0; index < wanted; index++) {
    const slot = slots[index];
    if (!slot) return { ...later, slots: [...slots, { cursor: begin }] };
    const answer = answerAfter(slot.cursor);
    if (slot.cursor !== begin) {
      const before = answer || slot.before === undefined ? slot.cursor : slot.before;
      return { ...later, slots: slots.with(index, { cursor: begin, before }) };
    }
    if (!answer) return later;
    if (slot.before !== undefined) return { ...later, slots: slots.with(index, { cursor: slot.cursor }) };
    if (answer.isDone) return index + 1 === wanted ? later : { ...later, wanted: index + 1, slots: slots.slice(0, index + 1) };
    begin = answer.continueCursor;
  }
  return later;
}

/** What was shown where, by the key of its place in the browser's history, the last first to be forgotten. */
const shown = new Map<string, Later>();
const REMEMBERED = 30;

export function rememberPages(key: string, later: Later): void {
  shown.delete(key);
  if (later.slots.length === 0) return;
  shown.set(key, later);
  const [oldest] = shown.keys();
  if (shown.size > REMEMBERED && oldest !== undefined) shown.delete(oldest);
}

/** The pages that this list had when this place was left. */
export function rememberedPages(key: string, of: string): Later {
  const later = shown.get(key);
  if (later?.of !== of) return { of, wanted: 0, slots: [] };
  return { ...later, slots: later.slots.map(({ cursor }) => ({ cursor, returning: true })) };
}

/** They have come, or are waited for no longer. */
export function arrived(later: Later): Later {
  if (!later.slots.some(({ returning }) => returning)) return later;
  return { ...later, slots: later.slots.map(({ cursor }) => ({ cursor })) };
}
