import { convexToJson, jsonToConvex } from "convex/values";
import type { Json, JsonObject } from "./deployment.ts";

const FLOATS: Record<string, number> = { NaN: Number.NaN, Infinity: Infinity, "-Infinity": -Infinity, "-0": -0 };

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function shownInCell(value: Json | undefined): string {
  if (value === undefined) return "";
  if (isObject(value) && typeof value["$integer"] === "string") return `${decimal(value)}n`;
  if (isObject(value) && typeof value["$bytes"] === "string") return `${atob(value["$bytes"]).length} bytes`;
  return typeof value === "string" ? value : JSON.stringify(editable(value));
}

/** Returns the value as indented JSON, with decimal integers and floats: `{"$integer": "5"}`, `{"$float": "NaN"}`. */
export const editableText = (value: Json): string => JSON.stringify(editable(value), null, 2);

function decimal(value: JsonObject): string {
  const decoded = jsonToConvex(value);
  if (typeof decoded !== "number" && typeof decoded !== "bigint") throw new Error("Expected an integer or a float.");
  return Object.is(decoded, -0) ? "-0" : decoded.toString();
}

export function fieldOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value : "";
}

function editable(value: Json): Json {
  if (Array.isArray(value)) return value.map(editable);
  if (!isObject(value)) return value;
  for (const tag of ["$integer", "$float"])
    if (typeof value[tag] === "string") {
      return { [tag]: decimal(value) };
    }
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, editable(entry)]));
}

/** Reads what `editableText` returns, or other Convex JSON. @throws {Error} that names the expected value */
export function parseValue(text: string): Json {
  if (text.trim() === "") throw new Error('The text is empty; expected JSON, like "text", 5 or { "name": "value" }.');
  let parsed: Json;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new Error(`Not valid JSON: ${error instanceof Error ? error.message : String(error)}. Strings need quotation marks.`, {
      cause: error,
    });
  }
  return encoded(parsed);
}

export function parseObject(text: string): JsonObject {
  const value = parseValue(text);
  if (!isObject(value)) throw new Error('Expected an object, like { "name": "value" }.');
  return value;
}

function encoded(value: Json): Json {
  if (Array.isArray(value)) return value.map(encoded);
  if (!isObject(value)) return value;
  const { $integer: integer, $float: float } = value;
  if (typeof integer === "string" && /^-?\d+$/.test(integer)) return convexToJson(integerOf(integer));
  if (typeof float === "string" && Object.hasOwn(FLOATS, float)) return convexToJson(FLOATS[float] ?? 0);
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, encoded(entry)]));
}

function integerOf(text: string): bigint {
  const integer = BigInt(text);
  if (BigInt.asIntN(64, integer) !== integer) throw new Error(`${text} does not fit into 64 bits.`);
  return integer;
}

export const shownTime = (ms: number): string =>
  new Date(ms)
    .toISOString()
    .replace("T", " ")
    .replace(/\.\d+Z$/, " UTC");
