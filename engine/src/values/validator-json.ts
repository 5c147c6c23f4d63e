import type { JsonObject } from "./canonical.ts";
import { FunctionError } from "./errors.ts";
import type { Json } from "./types.ts";

/** `ValidatorJSON` in `convex/src/values/validators.ts` */
export type ValidatorJson =
  | { type: "null" | "number" | "bigint" | "boolean" | "string" | "bytes" | "any" | "commitTs" }
  | { type: "id"; tableName: string }
  | { type: "literal"; value: Json }
  | { type: "array"; value: ValidatorJson }
  | { type: "record"; keys: ValidatorJson; values: ObjectField }
  | { type: "object"; value: Record<string, ObjectField> }
  | { type: "union"; value: ValidatorJson[] };
export type ObjectField = { fieldType: ValidatorJson; optional: boolean };

const parsed = new WeakMap<object, ValidatorJson>();

/** @throws FunctionError for a validator that `convex/values` does not produce */
export function parseValidator(json: Json): ValidatorJson {
  if (typeof json === "object" && json !== null) {
    const cached = parsed.get(json);
    if (cached !== undefined) return cached;
    const validator = read(json);
    parsed.set(json, validator);
    return validator;
  }
  return read(json);
}

function read(json: Json | undefined): ValidatorJson {
  if (!isRecord(json)) throw malformed(json);
  const { type, value, tableName, keys, values } = json;
  switch (type) {
    case "null":
    case "number":
    case "bigint":
    case "boolean":
    case "string":
    case "bytes":
    case "any":
    case "commitTs":
      return { type };
    case "id":
      if (typeof tableName !== "string") throw malformed(json);
      return { type, tableName };
    case "literal":
      if (value === undefined) throw malformed(json);
      return { type, value };
    case "array":
      return { type, value: read(value) };
    case "record":
      return { type, keys: read(keys), values: readField(values) };
    case "union":
      if (!Array.isArray(value)) throw malformed(json);
      return { type, value: value.map(read) };
    case "object": {
      if (!isRecord(value)) throw malformed(json);
      return { type, value: Object.fromEntries(Object.entries(value).map(([name, field]) => [name, readField(field)])) };
    }
    default:
      throw malformed(json);
  }
}

function readField(json: Json | undefined): ObjectField {
  if (!isRecord(json)) throw malformed(json);
  return { fieldType: read(json["fieldType"]), optional: json["optional"] === true };
}

function isRecord(json: Json | undefined): json is JsonObject {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

function malformed(json: Json | undefined): FunctionError {
  return new FunctionError(`Unknown validator: ${JSON.stringify(json) ?? "undefined"}`);
}
