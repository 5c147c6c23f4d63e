import { pino } from "pino";
import { scrub } from "./scrub.ts";

/** Logs one JSON object a line. Addresses, names and secrets are never logged; errors, which may quote anything, are scrubbed. */
export const log = pino({
  name: "atelier",
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (label) => ({ level: label }) },
  serializers: { error: described },
  hooks: {
    logMethod(parts, method) {
      method.apply(this, parts.map((part) => (typeof part === "string" ? scrub(part) : part)) as typeof parts);
    },
  },
});

export type Log = typeof log;

type Described = { name: string; message: string; stack?: string; cause?: Described | string };

function described(error: unknown): Described | string {
  if (!(error instanceof Error)) return scrub(typeof error === "string" ? error : (JSON.stringify(error) ?? String(error)));
  const { name, message, stack, cause } = error;
  return {
    name,
    message: scrub(message),
    ...(stack !== undefined && { stack: scrub(stack) }),
    ...(cause !== undefined && { cause: described(cause) }),
  };
}
