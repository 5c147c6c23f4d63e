import { isFields, taggedForm, type JsonObject } from "../values/canonical.ts";
import { FunctionError } from "../values/errors.ts";
import type { Json } from "../values/types.ts";
import { idOf } from "./document.ts";

export function fieldsOf(method: string, value: Json): JsonObject {
  if (isFields(value)) return value;
  throw new FunctionError(`Invalid argument \`value\` for \`db.${method}\`: Value must be an Object.`);
}

export function checkUserFields(fields: JsonObject): void {
  for (const name of Object.keys(fields)) {
    if (!name.startsWith("_")) continue;
    throw new FunctionError(`Invalid field name "${name}": fields that start with an underscore are reserved for the system.`);
  }
}

/** @throws FunctionError when system fields differ */
export function withoutSystemFields(fields: JsonObject, current: JsonObject): JsonObject {
  const { _id, _creationTime, ...own } = fields;
  if (_id !== undefined && _id !== idOf(current)) {
    throw new FunctionError(`Provided \`_id\` field value ${JSON.stringify(_id)} does not match the document ID "${idOf(current)}"`);
  }
  if (_creationTime !== undefined && _creationTime !== current["_creationTime"]) {
    throw new FunctionError(
      `Provided \`_creationTime\` field value ${JSON.stringify(_creationTime)} does not match the document's creation time ${JSON.stringify(current["_creationTime"])}`,
    );
  }
  return own;
}

/** Merges a patch into fields. `{"$undefined": null}` removes a field (`patchValueToJson` in `convex/src/values/value.ts`). */
export function applyPatch(fields: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map(Object.entries(fields));
  for (const [name, value] of Object.entries(patch)) {
    if (isUndefined(value)) merged.delete(name);
    else merged.set(name, value);
  }
  return Object.fromEntries(merged);
}

function isUndefined(value: Json): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) && taggedForm(value) === "$undefined";
}
