import { Buffer } from "node:buffer";
import { FunctionError } from "./errors.ts";
import {
  MAX_ARGUMENT_NESTING,
  MAX_ARRAY_LENGTH,
  MAX_DOCUMENT_BYTES,
  MAX_FIELD_NAME_LENGTH,
  MAX_NESTING,
  MAX_OBJECT_FIELDS,
} from "./limits.ts";
import type { Json } from "./types.ts";

export type JsonObject = { [key: string]: Json };

/** `size` is in bytes as counted by `getConvexSize`. */
export type Canonical = { text: string; size: number; hasCommitTs: boolean };

export type ValueLimits = { bytes: number; nesting: number };
export const DOCUMENT_LIMITS: ValueLimits = { bytes: MAX_DOCUMENT_BYTES, nesting: MAX_NESTING };
export const argumentLimits = (bytes: number): ValueLimits => ({ bytes, nesting: MAX_ARGUMENT_NESTING });

export function isFields(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && taggedForm(value) === undefined;
}

/** Returns the only field if it starts with `$`, like `jsonToConvex`. */
export function taggedForm(value: JsonObject): string | undefined {
  let tag: string | undefined;
  for (const name in value) {
    if (tag !== undefined || name.charCodeAt(0) !== 0x24) return undefined;
    tag = name;
  }
  return tag;
}

/** @throws FunctionError for a malformed tag, a bad field name or a limit */
export function canonicalize(value: Json, limits: ValueLimits): Canonical {
  const walk = new Walk(limits.nesting);
  const text = walk.value(value, 0);
  if (walk.size > limits.bytes) throw tooLarge(walk.size, limits.bytes);
  return { text, size: walk.size, hasCommitTs: walk.hasCommitTs };
}

/** Checks a value like `canonicalize`, without the text, which would take as much memory as the value. @throws FunctionError */
export function checkValue(value: Json, limits: ValueLimits): void {
  const walk = new Walk(limits.nesting, { withText: false });
  walk.value(value, 0);
  if (walk.size > limits.bytes) throw tooLarge(walk.size, limits.bytes);
}

function tooLarge(size: number, limit: number): FunctionError {
  return new FunctionError(`Value is too large (${inUnits(size)} > maximum size ${inUnits(limit)})`);
}

const inUnits = (bytes: number): string => {
  const mib = bytes / (1024 * 1024);
  return `${Number.isInteger(mib) ? mib : mib.toFixed(2)} MiB`;
};

class Walk {
  size = 0;
  hasCommitTs = false;
  private readonly maxNesting: number;
  private readonly withText: boolean;

  constructor(maxNesting: number, { withText = true } = {}) {
    this.maxNesting = maxNesting;
    this.withText = withText;
  }

  value(value: Json, depth: number): string {
    switch (typeof value) {
      case "string":
        return this.string(value);
      case "number":
        this.size += 9;
        if (!Number.isFinite(value)) throw new FunctionError(`Number ${value} must be encoded as {"$float": …}`);
        return Object.is(value, -0) ? "0" : String(value);
      case "boolean":
        this.size += 1;
        return value ? "true" : "false";
      case "object":
        if (value === null) {
          this.size += 1;
          return "null";
        }
        return Array.isArray(value) ? this.array(value, depth + 1) : this.object(value, depth + 1);
      default:
        throw new FunctionError(`${typeof value} is not a supported Convex type.`);
    }
  }

  private string(value: string): string {
    if (!value.isWellFormed()) throw new FunctionError("Strings must be valid Unicode: found a lone surrogate.");
    this.size += 2 + utf8Length(value);
    return this.withText ? JSON.stringify(value) : "";
  }

  private array(value: Json[], depth: number): string {
    this.checkDepth(depth);
    if (value.length > MAX_ARRAY_LENGTH) {
      throw new FunctionError(`Array length is too long (${value.length} > maximum length ${MAX_ARRAY_LENGTH})`);
    }
    this.size += 2;
    let text = "[";
    let separator = "";
    for (const element of value) {
      text += separator + this.value(element, depth);
      separator = ",";
    }
    return text + "]";
  }

  private object(value: JsonObject, depth: number): string {
    const tag = taggedForm(value);
    if (tag !== undefined) return this.tagged(tag, value[tag]);
    this.checkDepth(depth);
    const names = sortedNames(value);
    if (names.length > MAX_OBJECT_FIELDS) {
      throw new FunctionError(`Object has too many fields (${names.length} > maximum number ${MAX_OBJECT_FIELDS})`);
    }
    this.size += 2;
    let text = "{";
    let separator = "";
    for (const name of names) {
      checkFieldName(name);
      this.size += name.length + 1;
      const field = value[name];
      if (field === undefined) throw new FunctionError("undefined is not a valid Convex value.");
      text += `${separator}${JSON.stringify(name)}:${this.value(field, depth)}`;
      separator = ",";
    }
    return text + "}";
  }

  private tagged(tag: string, inner: Json | undefined): string {
    switch (tag) {
      case "$integer":
        this.size += 9;
        return `{"$integer":"${eightBytes(inner, tag).toString("base64")}"}`;
      case "$float":
        this.size += 9;
        return float(eightBytes(inner, tag).readDoubleLE());
      case "$bytes": {
        const bytes = decodeBase64(inner, tag);
        this.size += 2 + bytes.length;
        return this.withText ? `{"$bytes":"${bytes.toString("base64")}"}` : "";
      }
      case "$commitTs":
        if (inner !== null) throw new FunctionError("Malformed $commitTs field");
        this.size += 9;
        this.hasCommitTs = true;
        return '{"$commitTs":null}';
      case "$undefined":
        throw new FunctionError(
          "undefined is not a valid Convex value. To learn about Convex's supported types, see https://docs.convex.dev/using/types.",
        );
      default:
        throw new FunctionError(`Field name ${tag} starts with a '$', which is reserved.`);
    }
  }

  private checkDepth(depth: number): void {
    if (depth > this.maxNesting) {
      throw new FunctionError(`Value is nested too deeply (nested ${depth} levels deep > maximum nesting ${this.maxNesting})`);
    }
  }
}

/** Encodes a `$float`, which `jsonToConvex` accepts only for values without a JSON number. All NaNs become one. */
function float(value: number): string {
  if (Number.isFinite(value) && !Object.is(value, -0)) throw new FunctionError(`Float ${value} should be encoded as a number`);
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(Number.isNaN(value) ? Number.NaN : value);
  return `{"$float":"${bytes.toString("base64")}"}`;
}

export function eightBytes(inner: Json | undefined, tag: string): Buffer {
  const bytes = decodeBase64(inner, tag);
  if (bytes.length !== 8) throw new FunctionError(`Received ${bytes.length} bytes, expected 8 for ${tag}`);
  return bytes;
}

export function decodeBase64(inner: Json | undefined, tag: string): Buffer {
  if (typeof inner !== "string") throw new FunctionError(`Malformed ${tag} field`);
  return Buffer.from(inner, "base64");
}

export function sortedNames(value: JsonObject): string[] {
  const names = Object.keys(value);
  for (let i = 1; i < names.length; i++) {
    if ((names[i - 1] ?? "") > (names[i] ?? "")) return names.toSorted();
  }
  return names;
}

/** `validateObjectField` in `convex/src/values/value.ts` */
function checkFieldName(name: string): void {
  if (name.length === 0) throw new FunctionError("Field names must be nonempty.");
  if (name.length > MAX_FIELD_NAME_LENGTH) {
    throw new FunctionError(`Field name ${name} exceeds maximum field name length ${MAX_FIELD_NAME_LENGTH}.`);
  }
  if (name.startsWith("$")) throw new FunctionError(`Field name ${name} starts with a '$', which is reserved.`);
  for (let i = 0; i < name.length; i++) {
    const code = name.charCodeAt(i);
    if (code < 32 || code >= 127) {
      throw new FunctionError(
        `Field name ${name} has invalid character '${name[i]}': Field names can only contain non-control ASCII characters`,
      );
    }
  }
}

function utf8Length(value: string): number {
  return Buffer.byteLength(value, "utf8");
}

export function fieldAt(value: Json, path: readonly string[]): Json | undefined {
  let here: Json | undefined = value;
  for (const name of path) {
    if (!isFields(here) || !Object.hasOwn(here, name)) return undefined;
    here = here[name];
  }
  return here;
}
