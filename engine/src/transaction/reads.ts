import { compareKeys, keyAfter, LAST_KEY, shortHigh, shortLow } from "../values/keys.ts";
import type { ReadRange, ReadSet } from "./types.ts";

/** A range contains only what was read, so a change beyond it causes no conflict. */
export class Reads {
  private readonly ranges: { index: number; low: Uint8Array; high: Uint8Array }[] = [];

  point(index: number, key: Uint8Array): void {
    this.ranges.push({ index, low: key, high: keyAfter(key) });
  }

  all(index: number, low: Uint8Array, high: Uint8Array): void {
    this.ranges.push({ index, low, high });
  }

  walk(index: number, low: Uint8Array, high: Uint8Array, order: "asc" | "desc"): Walk {
    const range = order === "asc" ? { index, low, high: low } : { index, low: high, high };
    this.ranges.push(range);
    return {
      passed(key) {
        if (order === "asc") range.high = keyAfter(key);
        else range.low = key;
      },
      ended() {
        range.low = low;
        range.high = high;
      },
    };
  }

  /** Returns the ranges. Shortens long bounds outwards, because subscriptions keep them in memory. */
  set(): ReadSet {
    const sorted = this.ranges
      .filter((range) => compareKeys(range.low, range.high) < 0)
      .map(({ index, low, high }) => ({ index, low: shortLow(low), high: shortHigh(high) }))
      .toSorted((a, b) => a.index - b.index || compareKeys(a.low, b.low));
    const merged: { index: number; low: Uint8Array; high: Uint8Array }[] = [];
    for (const range of sorted) {
      const last = merged.at(-1);
      if (last === undefined || last.index !== range.index || compareKeys(range.low, last.high) > 0) merged.push({ ...range });
      else if (compareKeys(range.high, last.high) > 0) last.high = range.high;
    }
    return merged.map(({ index, low, high }): ReadRange => ({ index, low, high: compareKeys(high, LAST_KEY) >= 0 ? null : high }));
  }
}

export interface Walk {
  passed(key: Uint8Array): void;
  ended(): void;
}
