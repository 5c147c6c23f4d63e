/**
 * What a caller is told of a failure, in the form that Convex's development deployments have: under which request the log has it, and what
 * was thrown. Where in the code that was is the administrator's business: strangers get no stack
 * (`docs/decisions/040-failures-as-in-development.md`).
 */
import { newRequestId } from "../functions/request-id.ts";
import type { Outcome } from "../functions/types.ts";
import type { Identity } from "../values/types.ts";

const STACK = /(?:\n +at [^\n]*)+\s*$/;

export function shownTo<T extends Outcome>(caller: Identity["kind"], outcome: T): T {
  if (outcome.ok) return outcome;
  const { message, requestId = newRequestId() } = outcome;
  return { ...outcome, message: `[Request ID: ${requestId}] Server Error\n${caller === "admin" ? message : message.replace(STACK, "")}` };
}
