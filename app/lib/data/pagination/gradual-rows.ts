import { useEffect, useMemo, useState } from "react";
import { idOf } from "./stable-rows";

/** Rendering more new rows at once would block the page for over 50 ms. */
const STEP = 24;

/** Reveals new rows in steps, each in a task of its own. Shown rows stay. The rows of the first render are shown at once. */
export function useGradualRows<Row>(rows: Row[]): Row[] {
  const [shown, setShown] = useState(() => idsOf(rows));
  const visible = useMemo(() => withNext(rows, shown), [rows, shown]);
  useEffect(() => {
    if (visible.length === shown.size && visible.every((row) => shown.has(idOf(row)))) return;
    // A timer, because animation frames stop in hidden tabs.
    const timer = setTimeout(() => setShown(idsOf(visible)));
    return () => clearTimeout(timer);
  }, [visible, shown]);
  return visible;
}

const idsOf = (rows: readonly unknown[]): ReadonlySet<unknown> => new Set(rows.map(idOf));

function withNext<Row>(rows: Row[], shown: ReadonlySet<unknown>): Row[] {
  let left = STEP;
  const next = rows.filter((row) => shown.has(idOf(row)) || left-- > 0);
  return next.length === rows.length ? rows : next;
}
