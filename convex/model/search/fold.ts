/** Folds text for comparison. Imported by the app too, so it has no dependencies. */

/** Scripts whose marks are optional in everyday writing. In others (Thai, Indic scripts, voiced kana), a mark changes the letter. */
const OPTIONAL_MARKS = /([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}])\p{Mark}+/gu;

/** The Arabic tatweel only stretches a word. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\u0640]/gu;

/** Letters that Unicode does not decompose, and those that Arabic and Persian keyboards write differently. */
const VARIANTS: Record<string, string> = {
  ø: "o",
  ł: "l",
  đ: "d",
  ħ: "h",
  ŧ: "t",
  æ: "ae",
  œ: "oe",
  ð: "d",
  þ: "th",
  ƿ: "w",
  ى: "ي",
  ی: "ي",
  ک: "ك",
  ة: "ه",
};
const VARIANT = new RegExp(`[${Object.keys(VARIANTS).join("")}]`, "gu");

const ASCII = /^[ -~]*$/;

/** Ignores case, Unicode variants, and diacritics where they are optional. */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const withoutMarks = text.normalize("NFKD").replaceAll(UNSEEN, "").replaceAll(OPTIONAL_MARKS, "$1");
  return foldCase(withoutMarks).replaceAll(VARIANT, (letter) => VARIANTS[letter] ?? letter);
}

/** Applies full case folding: `ß` and `SS` are equal, and so are the three forms of sigma. */
export function foldCase(text: string): string {
  return text.normalize("NFKC").toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ").normalize("NFKC");
}

/** Returns the same text for equal tags. Diacritics count, because they distinguish words such as “schon” and “schön”. */
export const foldTag = (tag: string): string => foldCase(tag).trim().replaceAll(/\s+/g, " ");
