import { replaceClock } from "./replace-clock.ts";

let skew = 0;

export const clockSkewMs = (): number => skew;

/** Shifts the clock of this thread. Call it before modules that keep `Date.now` are imported. */
export function skewClock(ms: number): void {
  if (ms === 0) return;
  skew = ms;
  replaceClock((actual) => actual() + ms);
}
