import { createHash } from "node:crypto";

const LONGEST = 256;

/** Hashes long parts one by one, because joining them would copy them. */
export function shortKey(...parts: string[]): string {
  if (parts.reduce((sum, part) => sum + part.length, 0) <= LONGEST) return parts.join("");
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("base64");
}
