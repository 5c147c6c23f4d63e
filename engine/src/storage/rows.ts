import type { DatabaseSync, SQLOutputValue, StatementSync } from "node:sqlite";
import { DamagedDataError } from "../values/errors.ts";

/** Prepares a statement that returns arrays, which SQLite's binding creates in a third less time than objects. */
export function prepare(sql: DatabaseSync, text: string): StatementSync {
  const statement = sql.prepare(text);
  statement.setReturnArrays(true);
  return statement;
}

/** Prepares a statement that returns BigInts, because timestamps in nanoseconds exceed a number's precision. */
export function prepareWithBigInts(sql: DatabaseSync, text: string): StatementSync {
  const statement = prepare(sql, text);
  statement.setReadBigInts(true);
  return statement;
}

export type Cell = SQLOutputValue | undefined;

export function bytesOf(cell: Cell): Uint8Array {
  if (cell instanceof Uint8Array) return cell;
  throw unexpected("bytes", cell);
}

export function textOf(cell: Cell): string {
  if (typeof cell === "string") return cell;
  throw unexpected("a text", cell);
}

export function numberOf(cell: Cell): number {
  if (typeof cell === "number") return cell;
  if (typeof cell === "bigint") return Number(cell);
  throw unexpected("a number", cell);
}

export function bigintOf(cell: Cell): bigint {
  if (typeof cell === "bigint") return cell;
  throw unexpected("an integer", cell);
}

function unexpected(expected: string, cell: Cell): DamagedDataError {
  return new DamagedDataError(`the data file has ${cell === null ? "null" : typeof cell} instead of ${expected}`);
}
