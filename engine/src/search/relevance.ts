import { isInWord, type Term } from "./terms.ts";

const SATURATION = 1.2;
const LENGTH = 0.75;

/** Ranks by BM25 (Robertson and Zaragoza, 2009) over these texts only, so it reveals no foreign content. Texts are in lower case. */
export function byRelevance<Item extends { text: string }>(items: readonly Item[], terms: readonly Term[]): Item[] {
  const texts = items.map(({ text }) => text);
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

function timesIn(text: string, { word, begun }: Term): number {
  let times = 0;
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length))
    if (!isInWord(text, at - 1) && (begun || !isInWord(text, at + word.length))) times++;
  return times;
}
