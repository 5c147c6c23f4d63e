import { Buffer } from "node:buffer";
import { createCipheriv, createDecipheriv, hash, randomBytes } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { DamagedDataError } from "../values/errors.ts";
import type { IdempotencyRecord } from "../transaction/types.ts";
import type { Timestamp } from "../values/types.ts";
import { bigintOf, prepareWithBigInts, textOf } from "./rows.ts";

const KEPT_NS = 14n * 24n * 60n * 60n * 1_000_000_000n;
const CLEANED_AT_ONCE = 1_000;
/** Prefix of encrypted results. No JSON text starts with it. */
const ENCRYPTED = "~";
const EMPTY_RESULT = "null";
const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Results are encrypted with the session's id, which only its client stores: they may contain texts that have been deleted since. */
export function openIdempotencyRecords(sql: DatabaseSync) {
  // Earlier builds stored session ids and results unencrypted.
  const find = prepareWithBigInts(sql, "SELECT ts, result FROM answers WHERE session IN (?, ?) AND request = ?");
  const insert = sql.prepare("INSERT INTO answers (session, request, ts, result) VALUES (?, ?, ?, ?)");
  const clean = sql.prepare(
    `DELETE FROM answers WHERE number IN (SELECT number FROM answers WHERE ts < ? ORDER BY ts LIMIT ${CLEANED_AT_ONCE})`,
  );
  return {
    find(session: string, request: number): { ts: Timestamp; result: string } | undefined {
      const row = find.get(nameOf(session), session, request);
      return row === undefined ? undefined : { ts: bigintOf(row[0]), result: decrypted(textOf(row[1]), session) };
    },
    insert(record: IdempotencyRecord, ts: Timestamp): void {
      insert.run(nameOf(record.sessionId), record.requestId, ts, encrypted(record.result, record.sessionId));
    },
    clean(now: Timestamp): boolean {
      return Number(clean.run(now - KEPT_NS).changes) === CLEANED_AT_ONCE;
    },
  };
}

const nameOf = (session: string): string => hash("sha256", `name ${session}`, "base64url");
const keyOf = (session: string): Buffer => hash("sha256", `key ${session}`, "buffer");

function encrypted(result: string, session: string): string {
  if (result === EMPTY_RESULT) return result;
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(session), nonce);
  const text = Buffer.concat([cipher.update(result, "utf8"), cipher.final()]);
  return ENCRYPTED + Buffer.concat([nonce, cipher.getAuthTag(), text]).toString("base64");
}

function decrypted(stored: string, session: string): string {
  if (!stored.startsWith(ENCRYPTED)) return stored;
  const bytes = Buffer.from(stored.slice(ENCRYPTED.length), "base64");
  try {
    const decipher = createDecipheriv(CIPHER, keyOf(session), bytes.subarray(0, NONCE_BYTES));
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString("utf8");
  } catch (error) {
    throw new DamagedDataError("the stored result of a mutation cannot be decrypted", error);
  }
}
