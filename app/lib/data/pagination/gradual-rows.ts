import { useEffect, useState } from "react";

/** Rendering more new rows at once would block the page for over 50 ms. */
const STEP = 24;

/** Reveals rows of a list that grows by many in steps, each in a task of its own. The rows of the first render are shown at once. */
export function useGradualRows<Row>(rows: Row[]): Row[] {
  const [shown, setShown] = useState(rows.length);
  const limit = shown + STEP;
  useEffect(() => {
    if (rows.length === shown) return;
    // A timer, because animation frames stop in hidden tabs.
    const timer = setTimeout(() => setShown(Math.min(rows.length, limit)));
    return () => clearTimeout(timer);
  }, [rows.length, shown, limit]);
  return rows.length > limit ? rows.slice(0, limit) : rows;
}
