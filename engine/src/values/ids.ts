import { randomFillSync } from "node:crypto";

/**
 * Document ids as Convex prints them: Crockford's base32 (lower case, https://www.crockford.com/base32.html) of the table's
 * number as a variable-length integer, 16 bytes of its own and a two-byte checksum. 31 to 37 characters.
 */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const OWN_BYTES = 16;
const CHECKSUM_BYTES = 2;
const MAX_TABLE_NUMBER = 0xffff_ffff;
const SHORTEST = 31;
const LONGEST = 37;

const DIGIT_OF = new Int8Array(128).fill(-1);
for (let digit = 0; digit < ALPHABET.length; digit++) DIGIT_OF[ALPHABET.charCodeAt(digit)] = digit;

/** So many of an id's own bytes tell when it was made; the other ten are chance. */
const TIME_BYTES = 6;
/** Kept from before time stands still for the functions on this thread. */
const wallClock = Date.now.bind(Date);

/**
 * A new id in the table with this number. Documents made one after the other have ids that lie side by side, as their rows then do: a commit
 * of many touches few pages of the file, however large it has grown.
 */
export function newId(table: number): string {
  const own = takeRandom();
  let rest = wallClock();
  for (let i = TIME_BYTES - 1; i >= 0; i--) {
    own[i] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  return idFromBytes(table, own);
}

/** The id made of a table's number and these 16 bytes. */
export function idFromBytes(table: number, own: Uint8Array): string {
  if (own.length !== OWN_BYTES) throw new RangeError(`An id has ${OWN_BYTES} bytes of its own, not ${own.length}.`);
  const prefix = varint(table);
  const bytes = new Uint8Array(prefix.length + OWN_BYTES + CHECKSUM_BYTES);
  bytes.set(prefix);
  bytes.set(own, prefix.length);
  const [low, high] = fletcher16(bytes, bytes.length - CHECKSUM_BYTES);
  bytes[bytes.length - 2] = low;
  bytes[bytes.length - 1] = high;
  return encode(bytes);
}

/** The number of the table that an id names, or null for a text that is no id. */
export function tableNumberOf(id: string): number | null {
  return read(id)?.table ?? null;
}

/** The 16 bytes that are an id's own, or null for a text that is no id. */
export function idBytes(id: string): Uint8Array | null {
  return read(id)?.own ?? null;
}

function read(id: string): { table: number; own: Uint8Array } | null {
  if (id.length < SHORTEST || id.length > LONGEST) return null;
  const bytes = decode(id);
  if (bytes === null) return null;
  let table = 0;
  let prefix = 0;
  for (;;) {
    const byte = bytes[prefix];
    if (byte === undefined || prefix === 5) return null;
    table += (byte & 0x7f) * 2 ** (7 * prefix);
    prefix++;
    if (byte < 0x80) {
      if (byte === 0 && prefix > 1) return null;
      break;
    }
  }
  if (table === 0 || table > MAX_TABLE_NUMBER || bytes.length !== prefix + OWN_BYTES + CHECKSUM_BYTES) return null;
  const [low, high] = fletcher16(bytes, bytes.length - CHECKSUM_BYTES);
  return bytes[bytes.length - 2] === low && bytes[bytes.length - 1] === high
    ? { table, own: bytes.subarray(prefix, prefix + OWN_BYTES) }
    : null;
}

/** Texts between which all ids of a table lie, and none of another: a table's number is the first thing in an id. */
export function idRange(table: number): { lowest: string; highest: string } {
  const prefix = varint(table);
  const rest = OWN_BYTES + CHECKSUM_BYTES;
  const filled = (byte: number): string => encode(Uint8Array.from([...prefix, ...Array.from({ length: rest }, () => byte)]));
  return { lowest: filled(0x00), highest: filled(0xff) };
}

/** How long the ids of a table are. */
export function idLength(table: number): number {
  return Math.ceil(((varint(table).length + OWN_BYTES + CHECKSUM_BYTES) * 8) / 5);
}

function varint(value: number): number[] {
  const bytes = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
  return bytes;
}

function fletcher16(bytes: Uint8Array, end: number): [number, number] {
  let first = 0;
  let second = 0;
  for (let i = 0; i < end; i++) {
    first = (first + (bytes[i] ?? 0)) % 255;
    second = (second + first) % 255;
  }
  return [first, second];
}

function encode(bytes: Uint8Array): string {
  let text = "";
  let pending = 0;
  let bits = 0;
  for (const byte of bytes) {
    pending = (pending << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(pending >> bits) & 31];
    }
    pending &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + ALPHABET[(pending << (5 - bits)) & 31];
}

/** Null unless every character is a digit and the bits left over are zero, so that each id has one spelling. */
function decode(text: string): Uint8Array | null {
  const bytes = new Uint8Array(Math.floor((text.length * 5) / 8));
  let pending = 0;
  let bits = 0;
  let written = 0;
  for (let i = 0; i < text.length; i++) {
    const digit = DIGIT_OF[text.charCodeAt(i)] ?? -1;
    if (digit < 0) return null;
    pending = (pending << 5) | digit;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes[written++] = pending >> bits;
      pending &= (1 << bits) - 1;
    }
  }
  return bits < 5 && pending === 0 ? bytes : null;
}

/** Asking the system for 16 bytes at a time costs more than all else in `newId`. */
const pool = new Uint8Array(4096);
let unused = pool.length;

function takeRandom(): Uint8Array {
  if (unused + OWN_BYTES > pool.length) {
    randomFillSync(pool);
    unused = 0;
  }
  const random = pool.slice(unused, unused + OWN_BYTES);
  pool.fill(0, unused, unused + OWN_BYTES);
  unused += OWN_BYTES;
  return random;
}
