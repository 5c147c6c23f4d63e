/** Copied and cut items are written to the system clipboard, so that other tabs can paste them and later copies replace them. */

/** `fields` are the form fields of the items, and `count` their number; builds without them wrote only `ids`. */
export type CopiedItems = { kind: "design" | "image"; ids: string[]; isCut: boolean; count?: number; fields?: [string, string][] };

export const fieldsOf = ({ ids, fields }: CopiedItems): [string, string][] => fields ?? ids.map((id) => ["ids", id]);

const TYPE = "application/x-atelier-items";

export function writeItems(clipboard: DataTransfer, items: CopiedItems, names: string[]): void {
  clipboard.setData(TYPE, JSON.stringify(items));
  clipboard.setData("text/plain", names.join("\n"));
}

export function readItems(clipboard: DataTransfer): CopiedItems | null {
  try {
    const items: unknown = JSON.parse(clipboard.getData(TYPE));
    return isCopiedItems(items) ? items : null;
  } catch {
    return null;
  }
}

function isCopiedItems(value: unknown): value is CopiedItems {
  if (typeof value !== "object" || value === null || !("kind" in value && "ids" in value && "isCut" in value)) return false;
  const { kind, ids, isCut } = value;
  if ("fields" in value && !isFields(value.fields)) return false;
  return (
    (kind === "design" || kind === "image") && typeof isCut === "boolean" && Array.isArray(ids) && ids.every((id) => typeof id === "string")
  );
}

const isFields = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every((field) => Array.isArray(field) && field.length === 2 && field.every((text) => typeof text === "string"));
