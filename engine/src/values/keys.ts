import { Buffer } from "node:buffer";
import { decodeBase64, eightBytes, sortedNames, taggedForm, type JsonObject } from "./canonical.ts";
import { FunctionError } from "./errors.ts";
import type { Json } from "./types.ts";

// Sorts like `compareValues` (`convex/src/values/compare.ts`). Texts and containers end in 0x00, and 0x00 in a text is written 0x00 0xFF,
// so that no encoding is a prefix of another. All tags are below `AFTER`.
const TAG = {
  undefined: 0x02,
  null: 0x03,
  int64: 0x04,
  float64: 0x05,
  false: 0x06,
  true: 0x07,
  string: 0x08,
  bytes: 0x09,
  array: 0x0a,
  object: 0x0b,
};
const END = 0x00;
const ESCAPE = 0xff;
const AFTER = 0x1f;

const CACHED_KEY_BYTES_MAX = 1_024;
const KEPT_BUFFER_BYTES = 1024 * 1024;

export const LAST_KEY: Uint8Array = Uint8Array.of(0xff);
export const FIRST_KEY: Uint8Array = new Uint8Array(0);

export function encodeKey(values: readonly (Json | undefined)[]): Uint8Array {
  length = 0;
  for (const value of values) writeValue(value);
  const key = Uint8Array.prototype.slice.call(buffer, 0, length);
  if (buffer.length > KEPT_BUFFER_BYTES) buffer = Buffer.alloc(4096);
  return key;
}

export const shortLow = (key: Uint8Array): Uint8Array => (key.length <= CACHED_KEY_BYTES_MAX ? key : key.slice(0, CACHED_KEY_BYTES_MAX));

export function shortHigh(key: Uint8Array): Uint8Array {
  if (key.length <= CACHED_KEY_BYTES_MAX) return key;
  let length = CACHED_KEY_BYTES_MAX;
  while (length > 0 && key[length - 1] === 0xff) length -= 1;
  if (length === 0) return LAST_KEY;
  const above = key.slice(0, length);
  above[length - 1] = (above[length - 1] ?? 0) + 1;
  return above;
}

export function keyAfter(key: Uint8Array): Uint8Array {
  const after = new Uint8Array(key.length + 1);
  after.set(key);
  return after;
}

export function keyAfterPrefix(prefix: Uint8Array): Uint8Array {
  if (prefix.length === 0) return LAST_KEY;
  const after = new Uint8Array(prefix.length + 1);
  after.set(prefix);
  after[prefix.length] = AFTER;
  return after;
}

export function compareKeys(a: Uint8Array, b: Uint8Array): number {
  return Buffer.compare(a, b);
}

export function compareJson(a: Json | undefined, b: Json | undefined): number {
  if (typeof a === "string" && a === b) return 0;
  return compareKeys(encodeKey([a]), encodeKey([b]));
}

let buffer = Buffer.alloc(4096);
let length = 0;

function reserve(more: number): void {
  if (length + more <= buffer.length) return;
  const larger = Buffer.alloc(Math.max(buffer.length * 2, length + more));
  buffer.copy(larger, 0, 0, length);
  buffer = larger;
}

function writeByte(byte: number): void {
  reserve(1);
  buffer[length++] = byte;
}

function writeValue(value: Json | undefined): void {
  switch (typeof value) {
    case "undefined":
      return writeByte(TAG.undefined);
    case "boolean":
      return writeByte(value ? TAG.true : TAG.false);
    case "number":
      return writeFloat(Object.is(value, -0) ? 0 : value);
    case "string":
      writeByte(TAG.string);
      return writeText(value);
    case "object":
      if (value === null) return writeByte(TAG.null);
      return Array.isArray(value) ? writeArray(value) : writeObject(value);
  }
}

/** Inverts the bits of negative numbers and sets the sign bit of others, so that the order of bits is that of numbers. */
function writeFloat(value: number): void {
  reserve(9);
  buffer[length] = TAG.float64;
  const high = (buffer.writeDoubleBE(value, length + 1), buffer[length + 1] ?? 0);
  if (high & 0x80) for (let i = 1; i <= 8; i++) buffer[length + i] = ~(buffer[length + i] ?? 0);
  else buffer[length + 1] = high | 0x80;
  length += 9;
}

function writeText(text: string): void {
  // Three bytes per character suffice; counting is cheaper than that much memory for long texts.
  reserve((text.length < 4_096 ? text.length * 3 : Buffer.byteLength(text)) + 1);
  if (!text.includes("\0")) {
    length += buffer.write(text, length, "utf8");
    buffer[length++] = END;
    return;
  }
  writeEscaped(Buffer.from(text, "utf8"));
}

function writeEscaped(bytes: Uint8Array): void {
  reserve(bytes.length * 2 + 1);
  for (const byte of bytes) {
    buffer[length++] = byte;
    if (byte === END) buffer[length++] = ESCAPE;
  }
  buffer[length++] = END;
}

function writeArray(elements: Json[]): void {
  writeByte(TAG.array);
  for (const element of elements) writeValue(element);
  writeByte(END);
}

function writeObject(value: JsonObject): void {
  const tag = taggedForm(value);
  if (tag !== undefined) return writeTagged(tag, value[tag]);
  writeByte(TAG.object);
  for (const name of sortedNames(value)) {
    writeByte(TAG.string);
    writeText(name);
    writeValue(value[name]);
  }
  writeByte(END);
}

function writeTagged(tag: string, inner: Json | undefined): void {
  switch (tag) {
    case "$undefined":
      return writeByte(TAG.undefined);
    case "$integer":
      return writeInteger(eightBytes(inner, tag).readBigInt64LE());
    case "$commitTs":
      // An unresolved commit timestamp sorts as the largest integer (`compare.ts`).
      return writeInteger(2n ** 63n - 1n);
    case "$float":
      return writeFloat(eightBytes(inner, tag).readDoubleLE());
    case "$bytes":
      writeByte(TAG.bytes);
      return writeEscaped(decodeBase64(inner, tag));
    default:
      throw new FunctionError(`Field name ${tag} starts with a '$', which is reserved.`);
  }
}

function writeInteger(value: bigint): void {
  reserve(9);
  buffer[length] = TAG.int64;
  buffer.writeBigUInt64BE(BigInt.asUintN(64, value) ^ (1n << 63n), length + 1);
  length += 9;
}
