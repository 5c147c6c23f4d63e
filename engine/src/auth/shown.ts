/** Shows stacks only to administrators, otherwise like Convex's development deployments (`docs/decisions/040-function-errors.md`). */
import { newRequestId } from "../functions/request-id.ts";
import type { Outcome } from "../functions/types.ts";
import type { Identity } from "../values/types.ts";

const STACK = /(?:\n +at [^\n]*)+\s*$/;

export function outcomeFor<T extends Outcome>(caller: Identity["kind"], outcome: T): T {
  if (outcome.ok) return outcome;
  const { message, requestId = newRequestId() } = outcome;
  return { ...outcome, message: `[Request ID: ${requestId}] Server Error\n${caller === "admin" ? message : message.replace(STACK, "")}` };
}
