import type { DatabaseSync } from "node:sqlite";
import type { IdempotencyRecord } from "../transaction/types.ts";
import type { Timestamp } from "../values/types.ts";
import { bigintOf, prepareWithBigInts, textOf } from "./rows.ts";

const KEPT_NS = 14n * 24n * 60n * 60n * 1_000_000_000n;
const CLEANED_AT_ONCE = 1_000;

export function openIdempotencyRecords(sql: DatabaseSync) {
  const find = prepareWithBigInts(sql, "SELECT ts, result FROM answers WHERE session = ? AND request = ?");
  const insert = sql.prepare("INSERT INTO answers (session, request, ts, result) VALUES (?, ?, ?, ?)");
  const clean = sql.prepare(
    `DELETE FROM answers WHERE number IN (SELECT number FROM answers WHERE ts < ? ORDER BY ts LIMIT ${CLEANED_AT_ONCE})`,
  );
  return {
    find(session: string, request: number): { ts: Timestamp; result: string } | undefined {
      const row = find.get(session, request);
      return row === undefined ? undefined : { ts: bigintOf(row[0]), result: textOf(row[1]) };
    },
    insert(record: IdempotencyRecord, ts: Timestamp): void {
      insert.run(record.sessionId, record.requestId, ts, record.result);
    },
    /** Returns true when more may be left. */
    clean(now: Timestamp): boolean {
      return Number(clean.run(now - KEPT_NS).changes) === CLEANED_AT_ONCE;
    },
  };
}
