/** Copied and cut items are written to the system clipboard, so that other tabs can paste them and later copies replace them. */

export type CopiedItems = { kind: "design" | "image"; ids: string[]; isCut: boolean };

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
  return (
    (kind === "design" || kind === "image") && typeof isCut === "boolean" && Array.isArray(ids) && ids.every((id) => typeof id === "string")
  );
}
