/**
 * Timestamps on the wire: a 64-bit unsigned integer as base64 of its little-endian bytes (`u64ToLong` in the published
 * `convex/src/browser/sync/protocol.ts`).
 */
import type { Timestamp } from "../values/types.ts";

export function encodeTimestamp(ts: Timestamp): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(ts);
  return bytes.toString("base64");
}

/** Null when the text is no such timestamp. */
export function decodeTimestamp(text: string): Timestamp | null {
  const bytes = Buffer.from(text, "base64");
  return bytes.length === 8 && bytes.toString("base64") === text ? bytes.readBigUInt64LE() : null;
}
