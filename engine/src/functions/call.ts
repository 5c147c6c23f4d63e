import type { Json } from "../values/types.ts";
import type { Call } from "./types.ts";

export function callWithText(argsText: string, call: Omit<Call, "args" | "argsText">): Call {
  return {
    ...call,
    argsText,
    get args(): Json {
      return JSON.parse(argsText);
    },
  };
}

export const argumentsText = (call: Call): string => call.argsText ?? JSON.stringify(call.args);

/** Moves the arguments out of a message, which suspended async functions would keep in memory. */
export function detachArguments(message: { args: string }): string {
  const { args } = message;
  message.args = "";
  return `[${args}]`;
}
