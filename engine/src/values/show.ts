import { decodeBase64, eightBytes, isFields, sortedNames, taggedForm, type JsonObject } from "./canonical.ts";
import type { Json } from "./types.ts";
import type { ObjectField, ValidatorJson } from "./validator-json.ts";

/** The notation of Convex's error messages: `{name: "Ada", age: 36.0}`, `v.optional(v.string())`. */

const LONGEST = 16_384;

export function showValue(value: Json): string {
  const text = show(value);
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}[...truncated]`;
}

function show(value: Json): string {
  if (typeof value === "number") return showFloat(value);
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(show).join(", ")}]`;
  if (isFields(value))
    return `{${sortedNames(value)
      .map((name) => `${name}: ${show(value[name] ?? null)}`)
      .join(", ")}}`;
  return showTagged(value);
}

function showTagged(value: JsonObject): string {
  const tag = taggedForm(value) ?? "";
  const inner = value[tag];
  if (tag === "$integer") return eightBytes(inner, tag).readBigInt64LE().toString();
  if (tag === "$float") return showFloat(eightBytes(inner, tag).readDoubleLE());
  if (tag === "$bytes") return `b"${decodeBase64(inner, tag).toString("hex")}"`;
  return JSON.stringify(value);
}

function showFloat(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (Object.is(value, -0)) return "-0.0";
  return Number.isInteger(value) ? `${BigInt(value)}.0` : String(value);
}

export function showValidator(validator: ValidatorJson): string {
  switch (validator.type) {
    case "number":
      return "v.float64()";
    case "bigint":
      return "v.int64()";
    case "null":
    case "boolean":
    case "string":
    case "bytes":
    case "any":
    case "commitTs":
      return `v.${validator.type}()`;
    case "id":
      return `v.id(${JSON.stringify(validator.tableName)})`;
    case "literal":
      return `v.literal(${show(validator.value)})`;
    case "array":
      return `v.array(${showValidator(validator.value)})`;
    case "record":
      return `v.record(${showValidator(validator.keys)}, ${showValidator(validator.values.fieldType)})`;
    case "union":
      return `v.union(${validator.value.map(showValidator).join(", ")})`;
    case "object":
      return `v.object({${Object.entries(validator.value)
        .map(([name, field]) => `${name}: ${showField(field)}`)
        .join(", ")}})`;
  }
}

function showField(field: ObjectField): string {
  return field.optional ? `v.optional(${showValidator(field.fieldType)})` : showValidator(field.fieldType);
}
