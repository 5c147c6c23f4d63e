import { isFields, taggedForm, type JsonObject } from "./canonical.ts";
import { FunctionError } from "./errors.ts";
import { compareJson } from "./keys.ts";
import { showValidator, showValue } from "./show.ts";
import type { Json } from "./types.ts";
import { parseValidator, type ValidatorJson } from "./validator-json.ts";

export type IdTables = { tableOf(id: string): string | null };

export function checkArguments(validator: Json, args: Json, tables: IdTables): void {
  const fault = findFault(parseValidator(validator), args, tables);
  if (fault !== null) throw new FunctionError(`ArgumentValidationError: ${fault}`);
}

export function checkReturns(validator: Json, result: Json, tables: IdTables): void {
  const fault = findFault(parseValidator(validator), result, tables);
  if (fault !== null) throw new FunctionError(`ReturnsValidationError: ${fault}`);
}

export function findFault(validator: ValidatorJson, value: Json, tables: IdTables): string | null {
  return fault(validator, value, "", tables);
}

function fault(validator: ValidatorJson, value: Json, path: string, tables: IdTables): string | null {
  switch (validator.type) {
    case "any":
      return null;
    case "object":
      return isFields(value) ? objectFault(validator, value, path, tables) : mismatch(validator, value, path);
    case "array":
      return Array.isArray(value) ? arrayFault(validator.value, value, path, tables) : mismatch(validator, value, path);
    case "record":
      return isFields(value) ? recordFault(validator, value, path, tables) : mismatch(validator, value, path);
    case "union":
      return unionFault(validator, value, path, tables);
    case "id":
      return idFault(validator, value, path, tables);
    case "literal":
      return compareJson(validator.value, value) === 0 ? null : mismatch(validator, value, path);
    default:
      return isOfType(validator.type, value) ? null : mismatch(validator, value, path);
  }
}

type Scalar = "null" | "number" | "bigint" | "boolean" | "string" | "bytes" | "commitTs";

function isOfType(type: Scalar, value: Json): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "boolean":
    case "string":
      return typeof value === type;
    case "number":
      return typeof value === "number" || hasTag(value, "$float");
    case "bytes":
      return hasTag(value, "$bytes");
    case "bigint":
    case "commitTs":
      // Checks an unresolved commit timestamp as an integer.
      return hasTag(value, "$integer") || hasTag(value, "$commitTs");
  }
}

function hasTag(value: Json, tag: string): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) && taggedForm(value) === tag;
}

function objectFault(
  validator: Extract<ValidatorJson, { type: "object" }>,
  value: JsonObject,
  path: string,
  tables: IdTables,
): string | null {
  for (const [name, field] of Object.entries(validator.value)) {
    const inner = Object.hasOwn(value, name) ? value[name] : undefined;
    if (inner === undefined) {
      if (field.optional) continue;
      return withObject(
        `Object is missing the required field \`${name}\`. Consider wrapping the field validator in \`v.optional(...)\` if this is expected.`,
        validator,
        value,
        path,
      );
    }
    const found = fault(field.fieldType, inner, `${path}.${name}`, tables);
    if (found !== null) return found;
  }
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(validator.value, name)) {
      return withObject(`Object contains extra field \`${name}\` that is not in the validator.`, validator, value, path);
    }
  }
  return null;
}

function arrayFault(element: ValidatorJson, value: Json[], path: string, tables: IdTables): string | null {
  for (const [i, inner] of value.entries()) {
    const found = fault(element, inner, `${path}[${i}]`, tables);
    if (found !== null) return found;
  }
  return null;
}

function recordFault(
  validator: Extract<ValidatorJson, { type: "record" }>,
  value: JsonObject,
  path: string,
  tables: IdTables,
): string | null {
  for (const [name, inner] of Object.entries(value)) {
    const found =
      fault(validator.keys, name, `${path}.keys()`, tables) ??
      fault(validator.values.fieldType, inner, `${path}[${JSON.stringify(name)}]`, tables);
    if (found !== null) return found;
  }
  return null;
}

function unionFault(validator: Extract<ValidatorJson, { type: "union" }>, value: Json, path: string, tables: IdTables): string | null {
  for (const member of validator.value) if (fault(member, value, path, tables) === null) return null;
  return mismatch(validator, value, path);
}

function idFault(validator: Extract<ValidatorJson, { type: "id" }>, value: Json, path: string, tables: IdTables): string | null {
  if (typeof value !== "string") return mismatch(validator, value, path);
  const table = tables.tableOf(value);
  if (table === validator.tableName) return null;
  if (table === null) return mismatch(validator, value, path);
  return `Found ID "${value}" from table \`${table}\`, which does not match the table name in validator \`${showValidator(validator)}\`.${path === "" ? "" : `\nPath: ${path}`}`;
}

function mismatch(validator: ValidatorJson, value: Json, path: string): string {
  const pathText = path === "" ? "" : `Path: ${path}\n`;
  return `Value does not match validator.\n${pathText}Value: ${showValue(value)}\nValidator: ${showValidator(validator)}`;
}

function withObject(message: string, validator: ValidatorJson, value: JsonObject, path: string): string {
  const where = path === "" ? "" : `Path: ${path}\n`;
  return `${message}\n\n${where}Object: ${showValue(value)}\nValidator: ${showValidator(validator)}`;
}
