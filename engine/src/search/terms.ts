import { MAX_SEARCH_TERMS } from "../values/limits.ts";

/** Letters, digits and marks make words, as in SQLite's `unicode61` tokenizer; everything else parts them. */
const BETWEEN_WORDS = /[^\p{L}\p{N}\p{M}\p{Co}]+/u;

/** A word that is searched for; `begun`: it may go on (the last one, https://docs.convex.dev/search/text-search). */
export type Term = { word: string; begun: boolean };

/** What a search is for; at most 16 words of it count. */
export function termsOf(search: string): Term[] {
  const words = search.toLowerCase().split(BETWEEN_WORDS);
  const counted = words.filter((word) => word !== "").slice(0, MAX_SEARCH_TERMS);
  return counted.map((word, i) => ({ word, begun: i === counted.length - 1 }));
}

/** Whether a word goes on at this place of a text. */
export function isInWord(text: string, at: number): boolean {
  return at >= 0 && at < text.length && !BETWEEN_WORDS.test(text.charAt(at));
}

/** What to ask FTS5 for: documents that have all of the words and all of the filters' marks. */
export function matchExpression(terms: readonly Term[], marks: readonly string[]): string {
  const words = terms.map(({ word, begun }) => `"${word}"${begun ? " *" : ""}`).join(" AND ");
  const filters = marks.length === 0 ? "" : ` AND marks : (${marks.map((mark) => `"${mark}"`).join(" AND ")})`;
  return `text : (${words})${filters}`;
}
