import { useEffect, useRef } from "react";
import { isOptimistic } from "../pending";

/** Reuses the objects of unchanged rows, so that `memo` components render only for their own changes. */
export function useStableRows<Row>(rows: Row[]): Row[] {
  const last = useRef({ rows, same: rows });
  const same = last.current.rows === rows ? last.current.same : stableRows(last.current.same, rows);
  useEffect(() => {
    last.current = { rows, same };
  }, [rows, same]);
  return same;
}

export function stableRows<Row>(before: Row[], rows: Row[]): Row[] {
  if (before === rows) return before;
  const earlierRows = new Map(before.map((row) => [idOf(row), row]));
  const same = rows.map((row) => {
    const earlier = earlierRows.get(idOf(row));
    return earlier !== undefined && isSame(earlier, row) ? earlier : row;
  });
  return same.length === before.length && same.every((row, index) => row === before[index]) ? before : same;
}

export const idOf = (row: unknown): unknown => Object(row)._id ?? row;

const isSame = (one: unknown, other: unknown) => isOptimistic(Object(one)) === isOptimistic(Object(other)) && isEqual(one, other);

function isEqual(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (Array.isArray(one)) return Array.isArray(other) && one.length === other.length && one.every((each, at) => isEqual(each, other[at]));
  if (!isPlain(one) || !isPlain(other)) return false;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => Object.hasOwn(other, name) && isEqual(one[name], other[name]));
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype && !Array.isArray(value);
}
