import { useEffect, useState } from "react";
import { idOf } from "./stable-rows";

/** Rendering more new rows at once would block the page for over 50 ms. */
const STEP = 24;

/** Reveals new rows in steps, each in a task of its own. Shown rows stay. The rows of the first render are shown at once. */
export function useGradualRows<Row>(rows: Row[]): Row[] {
  const [state, setState] = useState({ rows, visible: rows });
  let { visible } = state;
  if (state.rows !== rows) {
    visible = withNext(rows, visible);
    setState({ rows, visible });
  }
  useEffect(() => {
    if (visible.length === rows.length) return;
    // A timer, because animation frames stop in hidden tabs.
    const timer = setTimeout(() => setState({ rows, visible: withNext(rows, visible) }));
    return () => clearTimeout(timer);
  }, [rows, visible]);
  return visible;
}

function withNext<Row>(rows: Row[], visible: Row[]): Row[] {
  const shown = new Set(visible.map(idOf));
  let left = STEP;
  const next = rows.filter((row) => shown.has(idOf(row)) || left-- > 0);
  return next.length === rows.length ? rows : next;
}
