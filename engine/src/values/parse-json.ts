import type { Json } from "./types.ts";

/** Small values take up to thirty times as much memory as their text. */
const MAX_VALUES = 2_000_000;
/** Values nest 64 deep at most; a few thousand levels exceed the stack of `JSON.stringify`. */
const MAX_DEPTH = 1_000;
const SHORT = 2 * MAX_DEPTH;

export class JsonLimitError extends Error {}

/** @throws {SyntaxError} for invalid JSON, {JsonLimitError} for too many or too deeply nested values */
export function parseJson(text: string): Json {
  if (text.length > SHORT) checkLimits(text);
  return JSON.parse(text);
}

function checkLimits(text: string): void {
  let count = 0;
  let depth = 0;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = endOfString(text, i);
    else if (code === COMMA) count += 1;
    else if (code === BRACKET || code === BRACE) {
      count += 1;
      depth += 1;
    } else if (code === BRACKET_END || code === BRACE_END) depth -= 1;
    if (depth > MAX_DEPTH) throw new JsonLimitError(`It is nested deeper than ${MAX_DEPTH} levels.`);
  }
  if (count > MAX_VALUES) throw new JsonLimitError(`It contains more than ${MAX_VALUES} values.`);
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const BRACE = 0x7b;
const BRACKET_END = 0x5d;
const BRACE_END = 0x7d;
