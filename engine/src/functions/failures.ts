/** How a function's failure is told: the message with its stack as Convex shows it, and the data of a ConvexError. */
import type { Json } from "../values/types.ts";
import { mapStack } from "./stacks.ts";

export type Failure = { message: string; data?: Json | undefined };

/**
 * An error whose message stands for itself: refusals by the deployment (no such function, arguments that do not fit,
 * a limit), which have no stack in user code.
 */
export class PlainError extends Error {
  override name = "PlainError";
}

/** Describes what user code threw. Stack lines outside its own modules are left out. */
export function describeFailure(thrown: unknown, root: string | null): Failure {
  if (thrown instanceof PlainError) return { message: thrown.message };
  const data = convexErrorData(thrown);
  if (!(thrown instanceof Error)) return { message: `Uncaught ${safeString(thrown)}`, data };
  const head = thrown.message === "" ? thrown.name : `${thrown.name}: ${thrown.message}`;
  const frames = root === null ? [] : mapStack(thrown.stack ?? "", root);
  return { message: [`Uncaught ${head}`, ...frames.map((frame) => `    at ${frame}`)].join("\n"), data };
}

/**
 * The data of a ConvexError, which the client library has serialized before it reaches us (`serializeConvexErrorData` in
 * `src/server/impl/registration_impl.ts`); undefined for any other error.
 */
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
