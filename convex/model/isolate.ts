/** Characters of right-to-left scripts: https://www.unicode.org/reports/tr9/#Bidirectional_Character_Types (R and AL). */
const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;
const BIDI_CONTROLS = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

const FIRST_STRONG_ISOLATE = "\u2068";
const POP_DIRECTIONAL_ISOLATE = "\u2069";

/** Isolates a name in plain English text, where `<bdi>` is impossible. Names without right-to-left letters stay as they are. */
export function isolate(name: string): string {
  const plain = name.replace(BIDI_CONTROLS, "");
  return RIGHT_TO_LEFT.test(plain) ? FIRST_STRONG_ISOLATE + plain + POP_DIRECTIONAL_ISOLATE : plain;
}
