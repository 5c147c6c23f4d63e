import { argumentLimits, checkValue } from "../values/canonical.ts";
import { FunctionError } from "../values/errors.ts";
import { MAX_ARGUMENT_BYTES, MAX_RESULT_BYTES } from "../values/limits.ts";
import type { Json } from "../values/types.ts";
import { checkArguments, checkReturns, type IdTables } from "../values/validators.ts";
import { PlainError } from "./failures.ts";
import { canonicalFunctionPath } from "./paths.ts";
import type { KnownFunction } from "./registry.ts";

/** Returns whether a validator may have ids, which need the database. A false positive only causes a needless check. */
export const hasIds = (validator: Json | null): boolean => JSON.stringify(validator).includes('"type":"id"');

export const NO_ID_TABLES: IdTables = { tableOf: () => null };

export function checkedArguments(target: KnownFunction, args: string, tables: IdTables): void {
  const parsed: Json = JSON.parse(args);
  checkSize(args, parsed, MAX_ARGUMENT_BYTES, `Arguments for ${canonicalFunctionPath(target.path)} are too large`);
  if (target.args !== null) asPlain(() => checkArguments(target.args, parsed, tables));
}

export function checkedResult(target: KnownFunction, text: string, tables: IdTables): void {
  if (target.returns === null && !mayExceed(text, MAX_RESULT_BYTES)) return;
  const result: Json = JSON.parse(text);
  checkSize(text, result, MAX_RESULT_BYTES, `Function ${canonicalFunctionPath(target.path)} return value is too large`);
  if (target.returns !== null) asPlain(() => checkReturns(target.returns, result, tables));
}

/** Largest ratio of a value's size to its JSON text: "1," is two characters and counts as nine bytes. */
const SIZE_PER_CHARACTER = 5;

const mayExceed = (text: string, limit: number): boolean => text.length * SIZE_PER_CHARACTER >= limit;

function checkSize(text: string, value: Json, limit: number, message: string): void {
  if (!mayExceed(text, limit)) return;
  try {
    checkValue(value, argumentLimits(limit));
  } catch (error) {
    if (error instanceof FunctionError && error.message.startsWith("Value is too large"))
      throw new PlainError(`${message}: ${error.message}`);
    throw asPlainError(error);
  }
}

function asPlain(check: () => void): void {
  try {
    check();
  } catch (error) {
    throw asPlainError(error);
  }
}

const asPlainError = (error: unknown): unknown => (error instanceof FunctionError ? new PlainError(error.message) : error);
