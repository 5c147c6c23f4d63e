/** Shows stacks to administrators only; all else is as on Convex's development deployments (`docs/decisions/040-function-errors.md`). */
import { newRequestId } from "../functions/request-id.ts";
import type { Outcome } from "../functions/types.ts";
import type { Identity } from "../values/types.ts";

const STACK = /(?:\n +at [^\n]*)+\s*$/;

/** Removes the stack. `redacts` also hides functions' messages and log lines from users, as on Convex's production deployments. */
export function redactOutcome<T extends Outcome>(caller: Identity["kind"], outcome: T, redacts = false): T {
  const redacted = redacts && caller !== "admin";
  if (outcome.ok) return redacted && outcome.logLines.length > 0 ? withoutLogLines(outcome) : outcome;
  const { message, code, requestId = newRequestId() } = outcome;
  const head = `[Request ID: ${requestId}] Server Error`;
  const logLines = redacted ? [] : outcome.logLines;
  if (redacted && code === undefined) return { ...outcome, message: head, logLines };
  return { ...outcome, message: `${head}\n${caller === "admin" ? message : message.replace(STACK, "")}`, logLines };
}

/** Copies property descriptors, because spreading would call the getter that parses the value. */
function withoutLogLines<T extends Outcome>(outcome: T): T {
  const copy: T = Object.create(Object.getPrototypeOf(outcome), Object.getOwnPropertyDescriptors(outcome));
  copy.logLines = [];
  return copy;
}
