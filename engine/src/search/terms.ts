import { MAX_SEARCH_TERMS } from "../values/limits.ts";

/** Letters, digits and marks make words, as in SQLite's `unicode61` tokenizer; everything else parts them. */
const BETWEEN_WORDS = /[^\p{L}\p{N}\p{M}\p{Co}]+/u;

/**
 * What to ask FTS5 for: documents with any of the words, the last of which may be only begun
 * (https://docs.convex.dev/search/text-search), and with all of the filters' marks. Null when there is no word to look for.
 */
export function matchExpression(text: string, marks: readonly string[]): string | null {
  const words = text
    .toLowerCase()
    .split(BETWEEN_WORDS)
    .filter((word) => word !== "")
    .slice(0, MAX_SEARCH_TERMS);
  if (words.length === 0) return null;
  const wanted = words.map((word, i) => `"${word}"${i === words.length - 1 ? " *" : ""}`).join(" OR ");
  const filters = marks.length === 0 ? "" : ` AND marks : (${marks.map((mark) => `"${mark}"`).join(" AND ")})`;
  return `text : (${wanted})${filters}`;
}
