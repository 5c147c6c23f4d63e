import { Buffer } from "node:buffer";
import { eightBytes, fieldAt, taggedForm, type JsonObject } from "../../values/canonical.ts";
import { FunctionError } from "../../values/errors.ts";
import { compareJson } from "../../values/keys.ts";
import type { Json } from "../../values/types.ts";

type Expression = (document: Json) => Json | undefined;
export type Predicate = (document: Json) => boolean;

/** Filters of the client library (`filter_builder_impl.ts`). @throws FunctionError */
export function compileFilter(json: Json): Predicate {
  const expression = compile(json);
  return (document) => expression(document) === true;
}

function compile(json: Json | undefined): Expression {
  const [operator, operand] = only(json);
  switch (operator) {
    case "$eq":
      return compared(operand, (order) => order === 0);
    case "$neq":
      return compared(operand, (order) => order !== 0);
    case "$lt":
      return compared(operand, (order) => order < 0);
    case "$lte":
      return compared(operand, (order) => order <= 0);
    case "$gt":
      return compared(operand, (order) => order > 0);
    case "$gte":
      return compared(operand, (order) => order >= 0);
    case "$add":
      return calculated(
        operand,
        "add",
        (a, b) => a + b,
        (a, b) => a + b,
      );
    case "$sub":
      return calculated(
        operand,
        "subtract",
        (a, b) => a - b,
        (a, b) => a - b,
      );
    case "$mul":
      return calculated(
        operand,
        "multiply",
        (a, b) => a * b,
        (a, b) => a * b,
      );
    case "$div":
      return calculated(
        operand,
        "divide",
        (a, b) => a / b,
        (a, b) => a / b,
      );
    case "$mod":
      return calculated(
        operand,
        "take the remainder of",
        (a, b) => a % b,
        (a, b) => a % b,
      );
    case "$neg":
      return negated(compile(operand));
    case "$and": {
      const conditions = listOf(operand).map(compile);
      return (document) => conditions.every((condition) => condition(document) === true);
    }
    case "$or": {
      const conditions = listOf(operand).map(compile);
      return (document) => conditions.some((condition) => condition(document) === true);
    }
    case "$not": {
      const inner = compile(operand);
      return (document) => inner(document) !== true;
    }
    case "$field": {
      if (typeof operand !== "string") throw unknown(json);
      const path = operand.split(".");
      return (document) => fieldAt(document, path);
    }
    case "$literal": {
      const value = queryValue(operand);
      return () => value;
    }
    default:
      throw unknown(json);
  }
}

/** Returns undefined for `{"$undefined": null}`, which represents a missing field. */
export function queryValue(json: Json | undefined): Json | undefined {
  return isObject(json) && taggedForm(json) === "$undefined" ? undefined : json;
}

function compared(operand: Json | undefined, holds: (order: number) => boolean): Expression {
  const [left, right] = pair(operand);
  return (document) => holds(compareJson(left(document), right(document)));
}

function calculated(
  operand: Json | undefined,
  verb: string,
  floats: (a: number, b: number) => number,
  integers: (a: bigint, b: bigint) => bigint,
): Expression {
  const [left, right] = pair(operand);
  return (document) => {
    const a = numeric(left(document));
    const b = numeric(right(document));
    if (typeof a === "number" && typeof b === "number") return floatJson(floats(a, b));
    if (typeof a === "bigint" && typeof b === "bigint") {
      if (b === 0n && (verb === "divide" || verb.startsWith("take")))
        throw new FunctionError("Cannot divide an int64 by zero in a filter.");
      return integerJson(integers(a, b));
    }
    throw new FunctionError(`Cannot ${verb} values of different or non-numeric types in a filter.`);
  };
}

function negated(inner: Expression): Expression {
  return (document) => {
    const value = numeric(inner(document));
    if (typeof value === "number") return floatJson(-value);
    if (typeof value === "bigint") return integerJson(-value);
    throw new FunctionError("Cannot negate a value that is not a number in a filter.");
  };
}

function numeric(value: Json | undefined): number | bigint | undefined {
  if (typeof value === "number") return value;
  if (!isObject(value)) return undefined;
  if (taggedForm(value) === "$integer") return eightBytes(value["$integer"], "$integer").readBigInt64LE();
  if (taggedForm(value) === "$float") return eightBytes(value["$float"], "$float").readDoubleLE();
  return undefined;
}

function floatJson(value: number): Json {
  if (Number.isFinite(value) && !Object.is(value, -0)) return value;
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return { $float: bytes.toString("base64") };
}

export function integerJson(value: bigint): Json {
  if (BigInt.asIntN(64, value) !== value) throw new FunctionError(`Integer overflow in a filter: ${value} does not fit into an int64.`);
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(value);
  return { $integer: bytes.toString("base64") };
}

function only(json: Json | undefined): [string, Json | undefined] {
  const entry = isObject(json) ? Object.entries(json) : [];
  if (entry.length !== 1 || entry[0] === undefined) throw unknown(json);
  return entry[0];
}

function pair(operand: Json | undefined): [Expression, Expression] {
  const [left, right, ...more] = listOf(operand);
  if (left === undefined || right === undefined || more.length > 0) throw unknown(operand);
  return [compile(left), compile(right)];
}

function listOf(json: Json | undefined): Json[] {
  if (!Array.isArray(json)) throw unknown(json);
  return json;
}

function isObject(json: Json | undefined): json is JsonObject {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

function unknown(json: Json | undefined): FunctionError {
  return new FunctionError(`Unknown filter expression: ${JSON.stringify(json) ?? "undefined"}`);
}
