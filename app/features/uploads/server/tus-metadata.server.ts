/** Parses `Upload-Metadata` (tus 1.0). Returns null for an empty or repeated key, or a value that is not UTF-8 in base64. */
export function parseMetadata(header: string | null): Map<string, string> | null {
  const values = new Map<string, string>();
  for (const pair of (header ?? "").split(",")) {
    const [key = "", value = "", ...rest] = pair.trim().split(" ");
    if (key === "" && value === "" && header?.trim()) return null;
    if (key === "") continue;
    const text = fromBase64(value);
    if (rest.length > 0 || values.has(key) || text === null) return null;
    values.set(key, text);
  }
  return values;
}

export function formatMetadata(values: Record<string, string>): string {
  return Object.entries(values)
    .map(([key, value]) => `${key} ${Buffer.from(value, "utf8").toString("base64")}`)
    .join(",");
}

function fromBase64(value: string): string | null {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(value)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(value, "base64"));
  } catch {
    return null;
  }
}
