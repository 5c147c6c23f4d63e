/** The HTTP API's `format: "json"`: without Convex's `$` encodings; 64-bit integers, bytes and special numbers become text. */
import { jsonToConvex, type JSONValue, type Value } from "convex/values";
import type { Json } from "../values/types.ts";

export function cleanJson(encoded: Json): Json {
  return clean(jsonToConvex(encoded satisfies JSONValue));
}

function clean(value: Value): Json {
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (value instanceof ArrayBuffer) return Buffer.from(value).toString("base64");
  if (Array.isArray(value)) return value.map(clean);
  if (typeof value === "object" && value !== null) {
    const fields: { [key: string]: Json } = {};
    for (const [name, field] of Object.entries(value)) if (field !== undefined) fields[name] = clean(field);
    return fields;
  }
  return value;
}
