/** Timestamps on the wire: 64-bit unsigned, little-endian, base64 (`u64ToLong` in the published `protocol.ts`). */
import type { Timestamp } from "../values/types.ts";

export function encodeTimestamp(ts: Timestamp): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(ts);
  return bytes.toString("base64");
}

export function decodeTimestamp(text: string): Timestamp | null {
  const bytes = Buffer.from(text, "base64");
  return bytes.length === 8 && bytes.toString("base64") === text ? bytes.readBigUInt64LE() : null;
}
