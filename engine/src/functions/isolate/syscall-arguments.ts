/** Validates syscall arguments: user code can call `Convex.syscall` itself. */
import type { Json } from "../../values/types.ts";
import type { FunctionAddress } from "../paths.ts";

export type Arguments = { [name: string]: Json | undefined };

export function asObject(value: Json): Arguments {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw wrong("an object", value);
  return value;
}

export function asString(value: Json | undefined): string {
  if (typeof value !== "string") throw wrong("a string", value);
  return value;
}

export const asOptionalString = (value: Json | undefined): string | undefined => (value == null ? undefined : asString(value));

export function asNumber(value: Json | undefined): number {
  if (typeof value !== "number") throw wrong("a number", value);
  return value;
}

export function asAddress(args: Arguments): FunctionAddress {
  if (typeof args["name"] === "string") return { name: args["name"] };
  if (typeof args["functionHandle"] === "string") return { functionHandle: args["functionHandle"] };
  return { reference: asString(args["reference"]) };
}

const wrong = (expected: string, value: Json | undefined): TypeError =>
  new TypeError(`Invalid syscall argument: expected ${expected}, got ${JSON.stringify(value) ?? "undefined"}`);
