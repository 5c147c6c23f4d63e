import { isInWord, type Term } from "./terms.ts";

/** BM25's usual constants: how soon more of the same word counts no more, and how much the length of a text counts. */
const SATURATION = 1.2;
const LENGTH = 0.75;

/**
 * Puts the texts that have most of what is searched for first, by BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009);
 * equals keep their order. How rare a word is is counted among these texts alone, which the search's filters let through: so it costs nothing that
 * grows with the table, and tells nothing of what somebody else has written.
 */
export function byRelevance<Item extends { words: string }>(items: readonly Item[], terms: readonly Term[]): Item[] {
  const texts = items.map(({ words }) => words.toLowerCase());
  const mean = texts.reduce((sum, { length }) => sum + length, 0) / texts.length;
  const scores = new Float64Array(texts.length);
  for (const term of terms) {
    const counts = texts.map((text) => timesIn(text, term));
    const having = counts.filter((count) => count > 0).length;
    const rarity = Math.log(1 + (texts.length - having + 0.5) / (having + 0.5));
    for (const [place, text] of texts.entries()) {
      const count = counts[place] ?? 0;
      const length = 1 - LENGTH + (LENGTH * text.length) / mean;
      scores[place] = (scores[place] ?? 0) + (rarity * count * (SATURATION + 1)) / (count + SATURATION * length);
    }
  }
  return items
    .map((item, place) => ({ item, score: scores[place] ?? 0 }))
    .toSorted((a, b) => b.score - a.score)
    .map(({ item }) => item);
}

/** How often a word stands in a text. */
function timesIn(text: string, { word, begun }: Term): number {
  let times = 0;
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length))
    if (!isInWord(text, at - 1) && (begun || !isInWord(text, at + word.length))) times++;
  return times;
}
