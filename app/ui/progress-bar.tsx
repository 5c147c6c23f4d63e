import { useEffect, useState } from "react";
import { useNavigation } from "react-router";

/** Specification 9: where the bar starts, and how often it creeps on. */
const PROGRESS_MINIMUM = 0.08;
const PROGRESS_TRICKLE_MS = 800;
/** A route that is there at once needs no bar. In milliseconds. */
const DELAY_MS = 80;
/** How long the full bar stands. In milliseconds; the style's transition takes as long. */
const LEAVING_MS = 200;

/** The bar at the top of the window while a route loads. */
export function ProgressBar() {
  const loading = useNavigation().state !== "idle";
  /** How far it is, from 0 to 1; null: there is none. */
  const [reached, reach] = useState<number | null>(null);
  useEffect(() => {
    if (!loading) return;
    let trickle: ReturnType<typeof setInterval> | undefined;
    const start = setTimeout(() => {
      reach(PROGRESS_MINIMUM);
      trickle = setInterval(() => reach((at) => at && onwards(at)), PROGRESS_TRICKLE_MS);
    }, DELAY_MS);
    return () => {
      clearTimeout(start);
      clearInterval(trickle);
      reach((at) => at && 1);
    };
  }, [loading]);
  useEffect(() => {
    if (reached !== 1) return;
    const leave = setTimeout(() => reach(null), LEAVING_MS);
    return () => clearTimeout(leave);
  }, [reached]);
  return (
    <div className="progress" role="presentation" style={reached === null ? { display: "none" } : undefined}>
      <div className="bar" style={{ transform: `translate3d(${((reached ?? 0) - 1) * 100}%,0,0)` }} />
    </div>
  );
}

/** The further it is the slower it gets, and it never arrives by itself. */
function onwards(at: number): number {
  const step = at < 0.2 ? 0.1 : at < 0.5 ? 0.04 : at < 0.8 ? 0.02 : 0.005;
  return Math.min(0.994, at + step);
}
