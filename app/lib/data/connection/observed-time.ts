import type { BaseConvexClient } from "convex/browser";
import type { ConvexReactClient } from "convex/react";
import { timestampOf } from "../preload";

/** Returns the newest deployment timestamp this browser has received, or null. Older data must not be shown after it. */
export function observedTime(convex: ConvexReactClient): bigint | null {
  const seen = baseClientOf(convex)?.getMaxObservedTimestamp();
  return seen === undefined ? null : (BigInt(seen.high >>> 0) << 32n) | BigInt(seen.low >>> 0);
}

export function isFresh(convex: ConvexReactClient, ts: string): boolean {
  const seen = observedTime(convex);
  const at = timestampOf(ts);
  return seen === null || at === null || at >= seen;
}

/** `sync` is public but missing from the types; `convex-browser-client.test.ts` fails if it is removed. */
function baseClientOf(convex: ConvexReactClient): Pick<BaseConvexClient, "getMaxObservedTimestamp"> | null {
  const sync: unknown = "sync" in convex ? convex.sync : null;
  return hasTimestamp(sync) ? sync : null;
}

const hasTimestamp = (sync: unknown): sync is Pick<BaseConvexClient, "getMaxObservedTimestamp"> =>
  typeof sync === "object" && sync !== null && "getMaxObservedTimestamp" in sync;
