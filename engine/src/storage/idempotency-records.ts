import { Buffer } from "node:buffer";
import { createCipheriv, createDecipheriv, createSecretKey, hash, randomFillSync, type KeyObject } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { DamagedDataError } from "../values/errors.ts";
import type { IdempotencyRecord } from "../transaction/types.ts";
import type { Timestamp } from "../values/types.ts";
import { bigintOf, prepare, prepareWithBigInts, textOf } from "./rows.ts";

const KEPT_NS = 14n * 24n * 60n * 60n * 1_000_000_000n;
const CLEANED_AT_ONCE = 1_000;
/** Prefix of encrypted results. No JSON text starts with it. */
const ENCRYPTED = "~";
const EMPTY_RESULT = "null";
const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const NONCES_AT_ONCE = 1_024;
const CACHED_SESSIONS = 4_096;

type Session = { name: string; key: KeyObject; /** No record of the session has a higher request number. */ highest: number };

/** Results are encrypted with the session's id, which only its client stores: they may contain texts that have been deleted since. */
export function openIdempotencyRecords(sql: DatabaseSync) {
  // Earlier builds stored session ids and results unencrypted.
  const find = prepareWithBigInts(sql, "SELECT ts, result FROM answers WHERE session IN (?, ?) AND request = ?");
  const highest = prepare(sql, "SELECT max(request) FROM answers WHERE session = ?");
  const insert = sql.prepare("INSERT INTO answers (session, request, ts, result) VALUES (?, ?, ?, ?)");
  const clean = sql.prepare(
    `DELETE FROM answers WHERE number IN (SELECT number FROM answers WHERE ts < ? ORDER BY ts LIMIT ${CLEANED_AT_ONCE})`,
  );
  const sessions = new Map<string, Session>();

  /** Derives a session's name and key once, because deriving them costs more than encrypting a result. */
  function sessionOf(id: string): Session {
    const known = sessions.get(id);
    if (known) return known;
    if (sessions.size >= CACHED_SESSIONS) sessions.clear();
    const name = hash("sha256", `name ${id}`, "base64url");
    // With bytes instead of a `KeyObject`, Node takes ten times as long to create a cipher.
    const key = createSecretKey(hash("sha256", `key ${id}`, "buffer"));
    const session = { name, key, highest: Math.max(...[name, id].map((each) => Number(highest.get(each)?.["0"] ?? -1))) };
    sessions.set(id, session);
    return session;
  }

  return {
    find(id: string, request: number): { ts: Timestamp; result: string } | undefined {
      const session = sessionOf(id);
      if (request > session.highest) return undefined;
      const row = find.get(session.name, id, request);
      return row === undefined ? undefined : { ts: bigintOf(row[0]), result: decrypted(textOf(row[1]), session) };
    },
    insert({ sessionId, requestId, result }: IdempotencyRecord, ts: Timestamp): void {
      const session = sessionOf(sessionId);
      insert.run(session.name, requestId, ts, encrypted(result, session));
      session.highest = Math.max(session.highest, requestId);
    },
    clean(now: Timestamp): boolean {
      return Number(clean.run(now - KEPT_NS).changes) === CLEANED_AT_ONCE;
    },
  };
}

const nonces = Buffer.alloc(NONCE_BYTES * NONCES_AT_ONCE);
let usedNonces = NONCES_AT_ONCE;

function newNonce(): Buffer {
  if (usedNonces === NONCES_AT_ONCE) {
    randomFillSync(nonces);
    usedNonces = 0;
  }
  const start = NONCE_BYTES * usedNonces++;
  return nonces.subarray(start, start + NONCE_BYTES);
}

function encrypted(result: string, { key }: Session): string {
  if (result === EMPTY_RESULT) return result;
  const nonce = newNonce();
  const cipher = createCipheriv(CIPHER, key, nonce);
  const text = cipher.update(result, "utf8");
  const end = cipher.final();
  return ENCRYPTED + Buffer.concat([nonce, cipher.getAuthTag(), text, end]).toString("base64");
}

function decrypted(stored: string, { key }: Session): string {
  if (!stored.startsWith(ENCRYPTED)) return stored;
  const bytes = Buffer.from(stored.slice(ENCRYPTED.length), "base64");
  try {
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES));
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString("utf8");
  } catch (error) {
    throw new DamagedDataError("the stored result of a mutation cannot be decrypted", error);
  }
}
