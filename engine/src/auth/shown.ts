/**
 * What a caller is shown of a failure. Where in the code it happened is the administrator's business: strangers get the
 * message without the stack, which stands in the log.
 */
import type { Outcome } from "../functions/types.ts";
import type { Identity } from "../values/types.ts";

const STACK = /(?:\n +at [^\n]*)+\s*$/;

export function shownTo<T extends Outcome>(caller: Identity["kind"], outcome: T): T {
  if (outcome.ok || caller === "admin") return outcome;
  return { ...outcome, message: outcome.message.replace(STACK, "") };
}
