import { BaseConvexClient } from "convex/browser";
import { ConvexReactClient } from "convex/react";
import type { AppConfig } from "~/config";
import { keptClient } from "./connection";
import { timestampOf } from "./preload";

/**
 * The browser's one client of the deployment, for as long as the document stands: signing in and out are document navigations, so no answer
 * of one person is ever there for another. On the server each rendering has its own, which never connects.
 */
export function browserConvex(address: AppConfig["browserConvex"]): ConvexReactClient {
  if (typeof document === "undefined") return connect("http://server-rendering.invalid");
  return keptClient(() => connect(address.kind === "direct" ? address.url : location.origin + address.prefix));
}

function connect(url: string): ConvexReactClient {
  return new ConvexReactClient(url, {
    skipConvexDeploymentUrlCheck: true,
    // The loader's token opens the connection: nothing is asked before it was sent, and it is not fetched a second time.
    expectAuth: true,
    initialAuthTokenReuse: true,
    logger: quietLogger,
    // Specification 7 and 9: the deployment is told of a request that was on its way for more than a minute.
    reportDebugInfoToConvex: true,
  });
}

/** What a function refuses is told in its form, and what it fails with on the error screen; the console is no place for either. */
const FUNCTION_LINE = /^\[CONVEX [QMA]\(/;

const quietLogger = {
  logVerbose() {},
  log() {},
  warn: (...told: unknown[]) => console.warn(...told),
  error(...told: unknown[]) {
    if (!FUNCTION_LINE.test(String(told[0]))) console.error(...told);
  },
};

/**
 * The newest time of the deployment that this browser has seen: in a live answer, or as that of a mutation of its own. Null before the
 * first. What is older must not be shown after it.
 */
export function observedTime(convex: ConvexReactClient): bigint | null {
  const seen = baseClientOf(convex)?.getMaxObservedTimestamp();
  return seen === undefined ? null : (BigInt(seen.high >>> 0) << 32n) | BigInt(seen.low >>> 0);
}

/** Whether a preload holds at least as late as all that this browser has seen. */
export function isFresh(convex: ConvexReactClient, ts: string): boolean {
  const seen = observedTime(convex);
  const at = timestampOf(ts);
  return seen === null || at === null || at >= seen;
}

/** The client below React's keeps the times. It is public, the way to it is not in the types: `browser.test.ts` notices when it goes. */
function baseClientOf(convex: ConvexReactClient): BaseConvexClient | null {
  return "sync" in convex && convex.sync instanceof BaseConvexClient ? convex.sync : null;
}
