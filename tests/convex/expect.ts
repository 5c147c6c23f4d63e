import { expect } from "vitest";
import { type Refusal, refusalOf } from "../../convex/model/errors";

export async function refused(call: Promise<unknown>): Promise<Refusal> {
  const outcome = await call.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if (!("error" in outcome)) return expect.fail(`answered ${JSON.stringify(outcome.value)} instead of being refused`);
  const refusal = refusalOf(outcome.error);
  if (!refusal) throw outcome.error;
  return refusal;
}
