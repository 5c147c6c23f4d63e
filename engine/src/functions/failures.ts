import type { Json } from "../values/types.ts";
import { mapStack } from "./bundles/source-maps.ts";

export type Failure = { message: string; data?: Json | undefined };

export class PlainError extends Error {
  override name = "PlainError";
}

export function describeFailure(thrown: unknown, root: string | null): Failure {
  if (thrown instanceof PlainError) return { message: thrown.message };
  const data = convexErrorData(thrown);
  if (!(thrown instanceof Error)) return { message: `Uncaught ${safeString(thrown)}`, data };
  const head = thrown.message === "" ? thrown.name : `${thrown.name}: ${thrown.message}`;
  const frames = root === null ? [] : mapStack(thrown.stack ?? "", root);
  return { message: [`Uncaught ${head}`, ...frames.map((frame) => `    at ${frame}`)].join("\n"), data };
}

/** Returns a ConvexError's data, which the client library has serialized (`serializeConvexErrorData` in `registration_impl.ts`). */
function convexErrorData(thrown: unknown): Json | undefined {
  if (typeof thrown !== "object" || thrown === null || !("ConvexErrorSymbol" in thrown) || !("data" in thrown)) return undefined;
  if (thrown.ConvexErrorSymbol !== Symbol.for("ConvexError") || typeof thrown.data !== "string") return undefined;
  try {
    return JSON.parse(thrown.data);
  } catch {
    return undefined;
  }
}

function safeString(value: unknown): string {
  try {
    return String(value);
  } catch {
    return "(a value that cannot be shown)";
  }
}
