import { useEffect, useRef, useState } from "react";
import { idOf } from "./stable-rows";

/** Rendering more new rows at once would block the page for over 50 ms. */
const STEP = 24;

/** Reveals new rows in steps, each in a task of its own. Shown rows stay. The rows of the first render are shown at once. */
export function useGradualRows<Row>(rows: Row[]): Row[] {
  const [step, setStep] = useState(0);
  const last = useRef({ rows, step, visible: rows });
  const isSame = last.current.rows === rows && last.current.step === step;
  const visible = isSame ? last.current.visible : withNext(rows, last.current.visible);
  useEffect(() => {
    last.current = { rows, step, visible };
    if (visible.length === rows.length) return;
    // A timer, because animation frames stop in hidden tabs.
    const timer = setTimeout(() => setStep(step + 1));
    return () => clearTimeout(timer);
  }, [rows, step, visible]);
  return visible;
}

function withNext<Row>(rows: Row[], visible: Row[]): Row[] {
  const shown = new Set(visible.map(idOf));
  let remaining = STEP;
  const next = rows.filter((row) => shown.has(idOf(row)) || remaining-- > 0);
  return next.length === rows.length ? rows : next;
}
