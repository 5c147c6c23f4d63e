import type { FunctionReference, FunctionReturnType } from "convex/server";
import type { Value } from "convex/values";

/**
 * A query's answer as a loader gives it: with what it takes to continue the query live, and the deployment's time at which it held. What a
 * function reference cannot carry over to the browser, its types, stand in `Result`.
 */
export type Preload<Result> = {
  query: string;
  args: Record<string, Value>;
  /** The deployment's timestamp (`/api/query_ts`), as it was sent: 64 bits, little-endian, in base64. */
  ts: string;
  value: Result;
};

/** What a loader's preload of this query is. */
export type PreloadOf<Query extends FunctionReference<"query">> = Preload<FunctionReturnType<Query>>;

/** Whether something has a preload's shape, and no more than that. */
export const isPreload = (value: object): boolean =>
  Object.keys(value).length === 4 && ["query", "args", "ts", "value"].every((name) => name in value);

/** A deployment's timestamp as a number that can be compared; null when it is none. */
export function timestampOf(ts: string): bigint | null {
  let bytes: string;
  try {
    bytes = atob(ts);
  } catch {
    return null;
  }
  if (bytes.length !== 8) return null;
  let value = 0n;
  for (let index = 7; index >= 0; index--) value = (value << 8n) | BigInt(bytes.charCodeAt(index));
  return value;
}
