/** What a log must not hold, and what stands there instead. Errors quote what they choke on: rows with people's addresses, links with tokens. */
const PATTERNS: [RegExp, string][] = [
  // Credentials in addresses.
  [/(\w:\/\/)[^\s/@"']+@/g, "$1[secret]@"],
  // Only from where a word begins: in a long one that is no address, each of its letters would begin another search.
  [/(?<![^\s"'<>()[\]{},;:=|/\\@])[^\s"'<>()[\]{},;:=|/\\@]+@[^\s"'<>()[\]{},;:=|/\\@]+\.[^\s"'<>()[\]{},;:=|/\\@]+/g, "[address]"],
  // JSON Web Tokens.
  [/(?<![\w-])eyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?/g, "[token]"],
  // What stands behind a secret's name, in JSON, in addresses, in headers and in printed objects.
  [
    /((?:password|secret|token|cookie|otp|authorization|api_?key)["']?\s*[:=]\s*)("[^"]*"|'[^']*'|(?:Bearer |Basic |Convex )?[^\s"'&,;}]+)/gi,
    "$1[secret]",
  ],
  [/\b(Bearer|Basic|Convex) [\w|.+/=-]{16,}/g, "$1 [secret]"],
];

/** Nobody reads further, and whoever sends us text that we log decides how long it is. */
const LONGEST = 16 * 1024;

/** The text without addresses, tokens and passwords. */
export function scrub(text: string): string {
  let out = text.length > LONGEST ? `${text.slice(0, LONGEST)}… [${text.length} characters]` : text;
  for (const [pattern, instead] of PATTERNS) out = out.replace(pattern, instead);
  return out;
}
