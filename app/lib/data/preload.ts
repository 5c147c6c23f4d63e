import type { FunctionArgs, FunctionReference, FunctionReturnType } from "convex/server";
import type { Value } from "convex/values";
import type { api } from "#convex/_generated/api";

export type Preload<Result> = {
  query: string;
  args: Record<string, Value>;
  /** The deployment's timestamp: 64 bits, little-endian, base64. */
  ts: string;
  value: Result;
  joined?: { args: FunctionArgs<typeof api.pages.load>; index: number };
};

export type PreloadOf<Query extends FunctionReference<"query">> = Preload<FunctionReturnType<Query>>;

export const isPreload = (value: object): boolean =>
  Object.keys(value).length === ("joined" in value ? 5 : 4) && ["query", "args", "ts", "value"].every((name) => name in value);

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
