import { randomFillSync } from "node:crypto";

/** Base32 (https://www.crockford.com/base32.html) of the table number as a varint, the document's 16 bytes and a two-byte checksum. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const OWN_BYTES = 16;
const CHECKSUM_BYTES = 2;
const MAX_TABLE_NUMBER = 0xffff_ffff;
const SHORTEST = 31;
const LONGEST = 37;

const DIGIT_OF = new Int8Array(128).fill(-1);
for (let digit = 0; digit < ALPHABET.length; digit++) DIGIT_OF[ALPHABET.charCodeAt(digit)] = digit;

/** The creation time; the other ten bytes are random. */
const TIME_BYTES = 6;
/** Saved before functions on this thread get a frozen clock. */
const wallClock = Date.now.bind(Date);

/** Returns a new id. Consecutive ids are close together, so that a commit changes few pages of the file. */
export function newId(table: number): string {
  const own = takeRandom();
  let rest = wallClock();
  for (let i = TIME_BYTES - 1; i >= 0; i--) {
    own[i] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  return idFromBytes(table, own);
}

export function idFromBytes(table: number, own: Uint8Array): string {
  if (own.length !== OWN_BYTES) throw new RangeError(`An id needs ${OWN_BYTES} bytes after its table number, not ${own.length}.`);
  const prefix = varint(table);
  const bytes = new Uint8Array(prefix.length + OWN_BYTES + CHECKSUM_BYTES);
  bytes.set(prefix);
  bytes.set(own, prefix.length);
  const [low, high] = fletcher16(bytes, bytes.length - CHECKSUM_BYTES);
  bytes[bytes.length - 2] = low;
  bytes[bytes.length - 1] = high;
  return encode(bytes);
}

export function tableNumberOf(id: string): number | null {
  return read(id)?.table ?? null;
}

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

export function idRange(table: number): { lowest: string; highest: string } {
  const prefix = varint(table);
  const rest = OWN_BYTES + CHECKSUM_BYTES;
  const filled = (byte: number): string => encode(Uint8Array.from([...prefix, ...Array.from({ length: rest }, () => byte)]));
  return { lowest: filled(0x00), highest: filled(0xff) };
}

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

/** Rejects nonzero padding, so that each id has one spelling. */
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
