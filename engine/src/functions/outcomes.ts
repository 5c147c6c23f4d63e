import type { Json } from "../values/types.ts";
import type { WireRun } from "./transactor/transactor-protocol.ts";
import type { Outcome } from "./types.ts";

export function outcomeOf({ outcome, metadata }: WireRun): Outcome {
  if (!outcome.ok) {
    const { message, data, code, logLines } = outcome;
    const failed: Outcome = { ok: false, message, logLines };
    if (data !== undefined) failed.data = data;
    if (code !== undefined) failed.code = code;
    if (metadata.requestId !== null) failed.requestId = metadata.requestId;
    return failed;
  }
  const { text, logLines } = outcome;
  let value: Json | undefined;
  return {
    ok: true,
    valueText: text,
    logLines,
    get value(): Json {
      value ??= JSON.parse(text);
      return value ?? null;
    },
  };
}
