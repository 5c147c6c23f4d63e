import { fold } from "#convex/model/search/fold";

type Part = { text: string; isMatch: boolean };

/** Splits a text at the typed words, ignoring case and accents. Matches with typing errors are not marked. */
export function highlightParts(text: string, typed: string): Part[] {
  const words = fold(typed)
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== "");
  const letters = Array.from(text);
  const folded = letters.map(fold);
  const marked = new Set<number>();
  for (const word of words) {
    for (let from = 0; from < letters.length; from++) {
      const end = endOfMatch(folded, from, word);
      if (end !== null) for (let at = from; at < end; at++) marked.add(at);
    }
  }
  const parts: Part[] = [];
  for (const [at, letter] of letters.entries()) {
    const isMatch = marked.has(at);
    const last = parts.at(-1);
    if (last?.isMatch === isMatch) last.text += letter;
    else parts.push({ text: letter, isMatch });
  }
  return parts;
}

function endOfMatch(folded: string[], from: number, word: string): number | null {
  let found = "";
  for (let at = from; at < folded.length; at++) {
    found += folded[at];
    if (found === "" || !word.startsWith(found.slice(0, word.length))) return null;
    if (found.length >= word.length) return at + 1;
  }
  return null;
}
