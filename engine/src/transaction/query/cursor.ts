import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { FunctionError } from "../../values/errors.ts";
import type { Json } from "../../values/types.ts";

export type Position = { at: "start" } | { at: "after"; key: Uint8Array } | { at: "end" };

const KINDS = ["start", "after", "end"] as const;
const FINGERPRINT_BYTES = 8;

export function fingerprint(query: Json): Buffer {
  return createHash("sha256").update(JSON.stringify(query)).digest().subarray(0, FINGERPRINT_BYTES);
}

/** Returns a cursor. It contains a key, not a row number, so it stays valid when rows are inserted or deleted. */
export function encodeCursor(query: Buffer, position: Position): string {
  const kind = KINDS.indexOf(position.at);
  const key = position.at === "after" ? position.key : new Uint8Array(0);
  return Buffer.concat([query, Uint8Array.of(kind), key]).toString("base64url");
}

/** @throws FunctionError InvalidCursor, which makes clients restart at the first page (`use_paginated_query.ts`) */
export function decodeCursor(query: Buffer, cursor: string): Position {
  const bytes = Buffer.from(cursor, "base64url");
  if (bytes.length <= FINGERPRINT_BYTES || bytes.toString("base64url") !== cursor) throw invalid("no query returned it");
  if (!bytes.subarray(0, FINGERPRINT_BYTES).equals(query)) throw invalid("it is from a different query");
  switch (KINDS[bytes[FINGERPRINT_BYTES] ?? KINDS.length]) {
    case "start":
      return { at: "start" };
    case "after":
      return { at: "after", key: new Uint8Array(bytes.subarray(FINGERPRINT_BYTES + 1)) };
    case "end":
      return { at: "end" };
    default:
      throw invalid("no query returned it");
  }
}

function invalid(reason: string): FunctionError {
  return new FunctionError(`InvalidCursor: Tried to run a query starting from a cursor, but ${reason}.`, {
    isConvexSystemError: true,
    paginationError: "InvalidCursor",
  });
}
