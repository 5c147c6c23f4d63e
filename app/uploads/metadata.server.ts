/**
 * `Upload-Metadata` of tus 1.0: keys with values in base64, separated by commas. Answers them by key, or null where the header is not well formed:
 * a key that is empty or stands twice, or a value that is no base64 of UTF-8.
 */
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

/** The same, the other way. */
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
