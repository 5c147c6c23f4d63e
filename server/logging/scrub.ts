/** Replaces data that errors quote, such as addresses and links with tokens. */
const PATTERNS: [RegExp, string][] = [
  [/(\/s\/)[A-Za-z0-9]{22}(?![A-Za-z0-9])/g, "$1[token]"],
  [/(\w:\/\/)[^\s/@"']+@/g, "$1[secret]@"],
  // Anchored at a word's start: a long word without an address would otherwise take quadratic time.
  [/(?<![^\s"'<>()[\]{},;:=|/\\@])[^\s"'<>()[\]{},;:=|/\\@]+@[^\s"'<>()[\]{},;:=|/\\@]+\.[^\s"'<>()[\]{},;:=|/\\@]+/g, "[address]"],
  [/(?<![\w-])eyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?/g, "[token]"],
  [
    /((?:password|secret|token|cookie|otp|authorization|api_?key)["']?\s*[:=]\s*)("[^"]*"|'[^']*'|(?:Bearer |Basic |Convex )?[^\s"'&,;}]+)/gi,
    "$1[secret]",
  ],
  [/\b(Bearer|Basic|Convex) [\w|.+/=-]{16,}/g, "$1 [secret]"],
];

/** Limits logged text, because senders determine its length. */
const LONGEST = 16 * 1024;

export function scrub(text: string): string {
  let out = text.length > LONGEST ? `${text.slice(0, LONGEST)}… [${text.length} characters]` : text;
  for (const [pattern, instead] of PATTERNS) out = out.replace(pattern, instead);
  return out;
}
