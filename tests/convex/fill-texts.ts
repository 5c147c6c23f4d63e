import type { GenericValidator, Value } from "convex/values";

/** Returns a value of the validator whose texts and bytes contain the mark, with optional texts present. User ids are not changed. */
export function fillTexts(validator: GenericValidator, value: Value | undefined, mark: string, userId: string): Value | undefined {
  switch (validator.kind) {
    case "string":
      return typeof value === "string" && (value.includes(mark) || value.includes(userId)) ? value : `${mark} text`;
    case "bytes":
      return new TextEncoder().encode(mark).buffer;
    case "object": {
      const filled: Record<string, Value> = {};
      for (const [name, field] of Object.entries(validator.fields)) {
        const item = fillTexts(field, isRecord(value) ? value[name] : undefined, mark, userId);
        if (item !== undefined) filled[name] = item;
        else if (value === undefined && field.isOptional === "required") return undefined;
      }
      return filled;
    }
    case "array": {
      const items = Array.isArray(value) && value.length > 0 ? value : [undefined];
      return items.map((item) => fillTexts(validator.element, item, mark, userId)).filter((item) => item !== undefined);
    }
    case "union": {
      const member = validator.members.find((each) => isOf(each, value)) ?? validator.members[0];
      const text = validator.members.find(({ kind }) => kind === "string");
      const chosen = text ?? member;
      return chosen ? fillTexts(chosen, value, mark, userId) : value;
    }
    case "literal":
      return validator.value;
    case "boolean":
      return value ?? (validator.isOptional === "required" ? false : undefined);
    case "float64":
      return value ?? (validator.isOptional === "required" ? 0 : undefined);
    default:
      return value;
  }
}

const isRecord = (value: unknown): value is Record<string, Value> => typeof value === "object" && value !== null && !Array.isArray(value);

function isOf(validator: GenericValidator, value: Value | undefined): boolean {
  if (validator.kind === "literal") return validator.value === value;
  if (validator.kind !== "object" || !isRecord(value)) return false;
  return (
    Object.entries(validator.fields).every(([name, field]) => (field.kind === "literal" ? field.value === value[name] : true)) &&
    Object.keys(value).every((name) => name in validator.fields)
  );
}
