import { SEARCH_MAX } from "../rules";
import { bigramsOf, isLetters, searchedText, type searchWords, termOf, termsOf, trigramsOf, wordsIn, type Word } from "./words";

/** https://docs.convex.dev/search/text-search#limits; further terms are ignored there. */
const TERMS_MAX = 16;

type Row = Parameters<typeof searchWords>[0] & { words?: string | undefined };

export type SearchQuery = {
  exact: string[];
  /** `trigrams` find infixes and typing errors; "" for short words. `isWide`: the index also returns rows that do not fit. */
  trigrams: string;
  isWide: boolean;
  fits: (row: Row) => boolean;
  /** Whether the row has one of the words as an infix (0) or with one typing error (1); null for neither. */
  distanceTo: (row: Row) => number | null;
};

/** Returns null for a text without a searchable word. `withStored` also searches for the words that earlier builds stored. */
export function searchQuery(text: string, withStored: boolean): SearchQuery | null {
  const typed = text.slice(0, SEARCH_MAX).toWellFormed();
  const words = wordsIn(typed);
  const last = words.at(-1);
  if (last === undefined) return null;
  const alternatives = words.flatMap(otherSpellings);
  let pieces: NearPiece[] | null = null;
  const near = () => (pieces ??= words.flatMap(nearPieces));
  const terms = [...words.slice(0, -1).flatMap(searchedTerms), ...alternatives.flat().map(termOf), ...searchedTerms(last)];
  const singles = words.slice(0, -1).filter(isSingle).slice(-SINGLES_MAX);
  const searches = [terms, ...singles.map(({ whole }) => [...terms, termOf(whole)]), ...(withStored ? [storedWords(typed)] : [])];
  return {
    exact: [...new Set(searches.map(lastTerms))],
    get trigrams() {
      return spread([...new Set(near().flatMap(({ letters }) => trigramsOf(letters)))], TERMS_MAX).join(" ");
    },
    isWide: alternatives.length > 0 || words.some(isText),
    fits(row) {
      const rowWords = wordsIn(searchedText(row));
      const terms = new Set(rowWords.flatMap(termsOf));
      const text = rowWords.map(({ whole }) => whole).join(" ");
      const hasPiece = (piece: string) => terms.has(termOf(piece));
      return words.some((word) => {
        if (isText(word)) return text.includes(word.whole);
        if (hasPiece(word.whole) || otherSpellings(word).some((pieces) => pieces.every(hasPiece))) return true;
        return word === last && [...terms].some((term) => term.startsWith(termOf(last.whole)));
      });
    },
    distanceTo({ words: rowWords = "" }) {
      const stored = new Set(rowWords.split(" ").filter(isLetters));
      const candidates = near().filter(({ numbers }) => numbers.every((number) => stored.has(number)));
      let least: number | null = null;
      for (const term of stored) {
        for (const { letters } of candidates) {
          if (term.includes(letters)) return 0;
          if (letters.length >= TYPO_MIN && isOneErrorAway(letters, term)) least = 1;
        }
      }
      return least;
    },
  };
}

/** Maximum of words with one character. Each needs its own search, because only the last term of a search is a prefix. */
const SINGLES_MAX = 4;

const isSingle = ({ kind, whole }: Word): boolean => kind === "run" && bigramsOf(whole).length === 1;

type NearPiece = { letters: string; numbers: string[] };

/** Corrects the letters of a word only, because a wrong digit results in another number. */
function nearPieces({ kind, whole }: Word): NearPiece[] {
  const pieces = kind === "word" ? (whole.match(/\p{N}+|\P{N}+/gu) ?? []).map(termOf) : [];
  const numbers = pieces.filter((piece) => /^\p{N}/u.test(piece));
  return pieces.flatMap((letters) => (trigramsOf(letters).length > 0 ? [{ letters, numbers }] : []));
}

const TYPO_MIN = 5;

const otherSpellings = ({ spellings }: Word): string[][] => spellings.filter((pieces) => pieces.every(({ length }) => length > 1));

const isText = ({ kind, whole }: Word): boolean => kind === "run" || MARKED.test(whole);
const MARKED = /[^\p{N}\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}]/u;

function searchedTerms({ kind, whole }: Word): string[] {
  if (kind !== "run") return [termOf(whole)];
  const bigrams = bigramsOf(whole);
  return bigrams.length > 1 ? bigrams.slice(0, -1) : bigrams;
}

/** Splits a text at all characters but letters, marks and digits, as the index does with the texts that earlier builds stored. */
const storedWords = (text: string): string[] => text.toLowerCase().split(/[^\p{L}\p{N}\p{M}\p{Co}]+/u);

const lastTerms = (terms: string[]): string => [...new Set(terms.toReversed())].filter(Boolean).slice(0, TERMS_MAX).toReversed().join(" ");

function spread(terms: string[], limit: number): string[] {
  const step = Math.max(1, terms.length / limit);
  return Array.from({ length: Math.min(limit, terms.length) }, (_, index) => terms[Math.floor(index * step)] ?? "");
}

/** Returns whether one letter is added, missing, wrong or swapped. The word may be longer only if text was typed after the error. */
function isOneErrorAway(typed: string, word: string): boolean {
  let errorIndex = 0;
  while (errorIndex < typed.length && typed[errorIndex] === word[errorIndex]) errorIndex++;
  const continues = (typedFrom: number, wordFrom: number) => {
    const [typedRest, wordRest] = [typed.slice(typedFrom), word.slice(wordFrom)];
    return typedRest === "" ? wordRest === "" : wordRest.startsWith(typedRest);
  };
  const isSwapped = typed[errorIndex] === word[errorIndex + 1] && typed[errorIndex + 1] === word[errorIndex];
  return (
    continues(errorIndex + 1, errorIndex + 1) ||
    continues(errorIndex + 1, errorIndex) ||
    continues(errorIndex, errorIndex + 1) ||
    (isSwapped && continues(errorIndex + 2, errorIndex + 2))
  );
}
