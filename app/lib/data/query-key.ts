import { type FunctionReference, getFunctionName } from "convex/server";
import type { Value } from "convex/values";

/** Returns the same text for the same query with equal arguments. Loads no code of convex/values, which only the live client needs. */
export const queryKey = (query: FunctionReference<"query">, args: Record<string, Value>): string =>
  JSON.stringify([getFunctionName(query), argsKey(args)]);

export const argsKey = (args: Record<string, Value> = {}): string => JSON.stringify(args, sortFields);

const sortFields = (_name: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    : value;
