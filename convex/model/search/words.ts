import { fold } from "./fold";

/** All search terms of an item in one text, because a search index covers one field. Mutations rewrite it when a part changes. */

type SearchedFields = { name: string; description?: string | undefined; caption?: string | undefined; tags?: string[] | undefined };

/** Joins the texts of an item. Name and tags come first, because the trigrams are limited. */
export const searchedText = ({ name, description = "", caption = "", tags = [] }: SearchedFields): string =>
  [name, ...tags, caption, description].filter((part) => part !== "").join("\n");

export function searchWords(row: SearchedFields): string {
  const words = wordsIn(searchedText(row));
  return [...new Set(words.flatMap(termsOf)), ...trigramsIn(words)].join(" ");
}

function trigramsIn(words: Word[]): Set<string> {
  const trigrams = new Set<string>();
  for (const word of words)
    for (const trigram of word.kind === "word" ? piecesOf(word).flatMap(trigramsOf) : [])
      if (trigrams.size < TRIGRAMS_MAX) trigrams.add(trigram);
      else return trigrams;
  return trigrams;
}

export const termsOf = (word: Word): string[] => (word.kind === "run" ? bigramsOf(word.whole) : piecesOf(word).map(termOf).filter(Boolean));

const piecesOf = ({ whole, spellings }: Word): string[] => [whole, ...spellings.flat()];

const TRIGRAMS_MAX = 256;

/** Convex removes terms of 32 bytes or more: https://docs.convex.dev/search/text-search and Tantivy's `RemoveLongFilter`. */
const TERM_BYTES = 31;

const ASCII_WORD = /^[a-z0-9]*$/;

/** First letter of terms that are not words. `fold` removes this letter from words. */
const MARKER = "ƿ";

/** Keeps letters and digits, as every tokenizer does. Without vowel signs a match may need a check (`fits` in searchQuery.ts). */
export function termOf(piece: string): string {
  if (ASCII_WORD.test(piece)) return piece.slice(0, TERM_BYTES);
  if (SYMBOL.test(piece)) return MARKER + "9" + Array.from(piece, (each) => codeOf(each).toString(16).padStart(6, "0")).join("");
  const letters = piece.replaceAll(/[^\p{L}\p{N}]/gu, "");
  // A letter of the Basic Multilingual Plane has at most three bytes.
  if (letters.length * 3 <= TERM_BYTES) return letters;
  let bytes = 0;
  let term = "";
  for (const letter of letters) {
    bytes += bytesOf(letter);
    if (bytes > TERM_BYTES) break;
    term += letter;
  }
  return term;
}

function bytesOf(letter: string): number {
  const code = codeOf(letter);
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

const codeOf = (letter: string): number => letter.codePointAt(0) ?? 0;

/** Returns pairs of adjacent characters, and the last character alone, so that each character begins a term. */
export function bigramsOf(run: string): string[] {
  const letters = Array.from(run).filter((letter) => /[\p{L}\p{N}]/u.test(letter));
  return letters.map((letter, index) => letter + (letters[index + 1] ?? ""));
}

const INFIX_MIN = 4;

/** Marks both ends with a zero: a word of n letters has n trigrams. */
export function trigramsOf(word: string): string[] {
  const letters = Array.from(termOf(word));
  if (letters.length < INFIX_MIN || !/^\p{L}+$/u.test(letters.join(""))) return [];
  const padded = ["0", ...letters, "0"];
  return letters.map((_, index) => MARKER + padded.slice(index, index + 3).join(""));
}

export const isLetters = (term: string): boolean => !term.startsWith(MARKER);

export type Word = {
  whole: string;
  spellings: string[][];
  kind: "word" | "run" | "symbol";
};

const SYMBOL = /[\p{RI}\p{Extended_Pictographic}\p{So}\p{Sc}]/u;

/** Scripts without spaces between words, and Hangul, whose words carry endings. */
const RUN = String.raw`[[\p{L}\p{N}\p{M}]&&[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]]`;
const LETTER = String.raw`[[\p{L}\p{N}\p{M}]--${RUN}]`;
const WORDS = new RegExp(
  String.raw`(?<word>${LETTER}+(?:['\-]${LETTER}+)*)|(?<run>${RUN}[${RUN}\p{M}]*)|\p{RI}{2}|[\p{Extended_Pictographic}\p{So}\p{Sc}]`,
  "gv",
);

const APOSTROPHES = /[’‘‛ʹʻʼ׳״´\u00B7]/gu;
const HYPHENS = /[\u2010\u2011\u200C]/gu;
const IGNORED = /\p{Default_Ignorable_Code_Point}/gu;

const CAMEL = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
const ARTICLE = /^[وبكف]?ال(?=\p{L}{3})/u;

export function wordsIn(text: string): Word[] {
  const plain = text.normalize("NFKC").replaceAll(APOSTROPHES, "'").replaceAll(HYPHENS, "-").replaceAll(IGNORED, "");
  const words = Array.from(plain.matchAll(WORDS), ({ 0: found, groups }): Word => {
    if (groups?.["word"] !== undefined) return wordOf(found);
    return { whole: fold(found), spellings: [], kind: groups?.["run"] === undefined ? "symbol" : "run" };
  });
  return words.filter(({ whole }) => termOf(whole) !== "");
}

function wordOf(written: string): Word {
  const joined = written.split(/['-]/u);
  const numbered = joined.flatMap((part) => part.match(/\p{N}+|\P{N}+/gu) ?? []);
  const camel = numbered.flatMap((part) => part.split(CAMEL));
  const whole = fold(joined.join(""));
  const owner = /'s$/iu.test(written) ? [[fold(joined.slice(0, -1).join(""))]] : [];
  const article = ARTICLE.test(whole) ? [[whole.replace(ARTICLE, "")]] : [];
  const parts = [joined, numbered, camel].map((pieces) => pieces.map(fold));
  const other = [...owner, ...article, ...parts.filter(({ length }) => length > 1)];
  const spellings = new Map(other.map((pieces) => [pieces.join(" "), pieces]));
  return { whole, spellings: [...spellings.values()], kind: "word" };
}
