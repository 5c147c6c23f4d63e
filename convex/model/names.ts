/** Stores names in one form (NFC) and without characters that hide or reorder text. Imported by the app too, so it has no dependencies. */

/** For example England's flag: https://www.unicode.org/reports/tr51/#valid-emoji-tag-sequences */
const FLAG = String.raw`\u{1F3F4}[\u{E0030}-\u{E0039}\u{E0061}-\u{E007A}]{3,6}\u{E007F}`;

/** Joiners belong to the spelling of emoji and of Persian and Indic words; variation selectors choose a glyph; U+180E is Mongolian. */
const NEEDED = String.raw`[\p{Join_Control}\p{Variation_Selector}\u180E]`;

const HIDDEN = new RegExp(String.raw`(${FLAG})|(?!${NEEDED})[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]`, "gu");

/** The braille blank is a symbol without dots. */
const BLANK = /[\p{Default_Ignorable_Code_Point}\p{White_Space}\u2800]/gu;

/** Returns malformed text unchanged: removing a character between two lone surrogates would make a new one. */
export function withoutHidden(text: string): string {
  return text.isWellFormed() ? text.replace(HIDDEN, "$1").normalize("NFC") : text;
}

/** Returns "" for a name without a visible character. */
export function cleanName(name: string): string {
  const clean = withoutHidden(name).trim();
  return clean.replace(BLANK, "") === "" ? "" : clean;
}

/** Returns "" for a user without a visible name: the app then shows the email address. */
export function cleanUserName(name: string): string {
  const plain = withoutHidden(name.toWellFormed().replaceAll(/\p{Cc}+/gu, " "));
  return cleanName(plain) === "" ? "" : plain;
}

/** Longer texts keep soft hyphens and zero-width spaces. Browsers submit CRLF line breaks (HTML, "constructing the entry list"). */
export const cleanText = (text: string): string =>
  text
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/\p{Bidi_Control}/gu, "")
    .normalize("NFC")
    .trim();

export const cleanTag = (tag: string): string => cleanName(tag).replaceAll(/\s+/g, " ");
