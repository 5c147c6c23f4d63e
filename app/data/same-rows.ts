import { useEffect, useRef } from "react";
import { isShownAhead } from "./pending";

/**
 * The rows of a list, each as the object that it was before where nothing in it has changed: a live answer brings all of a page anew, and what shows a
 * row (`memo`) is to be rendered again for its own change alone.
 */
export function useSameRows<Row>(rows: Row[]): Row[] {
  const last = useRef({ rows, same: rows });
  const same = last.current.rows === rows ? last.current.same : sameRows(last.current.same, rows);
  useEffect(() => {
    last.current = { rows, same };
  }, [rows, same]);
  return same;
}

/** @returns `before` itself where all is as it was */
export function sameRows<Row>(before: Row[], rows: Row[]): Row[] {
  if (before === rows) return before;
  const known = new Map(before.map((row) => [idOf(row), row]));
  const same = rows.map((row) => {
    const earlier = known.get(idOf(row));
    return earlier !== undefined && isSame(earlier, row) ? earlier : row;
  });
  return same.length === before.length && same.every((row, index) => row === before[index]) ? before : same;
}

const idOf = (row: unknown): unknown => Object(row)._id ?? row;

/** What is shown ahead of the deployment's answer says so, and the answer does not, however alike they are. */
const isSame = (one: unknown, other: unknown) => isShownAhead(Object(one)) === isShownAhead(Object(other)) && isEqual(one, other);

/** Of what queries answer: plain objects, lists and simple values. What is none of these is like nothing but itself. */
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
