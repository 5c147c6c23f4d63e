import { Buffer } from "node:buffer";
import { MAX_SEARCH_TERMS, MAX_SEARCH_WORD_BYTES } from "../values/limits.ts";

/** Splits words like SQLite's `unicode61` tokenizer. */
const BETWEEN_WORDS = /[^\p{L}\p{N}\p{M}\p{Co}]+/u;

/** `begun` marks a prefix: the last word (https://docs.convex.dev/search/text-search). */
export type Term = { word: string; begun: boolean };

export function termsOf(search: string): Term[] {
  const words = search.toLowerCase().split(BETWEEN_WORDS);
  const counted = words.filter((word) => word !== "" && !isLong(word)).slice(0, MAX_SEARCH_TERMS);
  return counted.map((word, i) => ({ word, begun: i === counted.length - 1 }));
}

const SPACE = 0x20;

const isLong = (word: string): boolean => Buffer.byteLength(word) > MAX_SEARCH_WORD_BYTES;

export function isInWord(text: string, at: number): boolean {
  return at >= 0 && at < text.length && text.charCodeAt(at) !== SPACE && !BETWEEN_WORDS.test(text.charAt(at));
}

export function matchExpression(terms: readonly Term[], marks: readonly string[]): string {
  const words = terms.map(({ word, begun }) => `"${word}"${begun ? " *" : ""}`).join(" AND ");
  const filters = marks.length === 0 ? "" : ` AND marks : (${marks.map((mark) => `"${mark}"`).join(" AND ")})`;
  return `text : (${words})${filters}`;
}
