const MOST = 256 * 1024 * 1024;

/** Returns the SHA-256 in hexadecimal; null on plain http and for large files. `crypto.subtle` needs no worker: it has its own threads. */
export async function checksumOf(file: File): Promise<string | null> {
  // oxlint-disable-next-line no-restricted-properties -- undefined on plain http, which the next line handles
  const subtle: SubtleCrypto | undefined = crypto.subtle;
  if (file.size > MOST || !subtle) return null;
  try {
    const digest = await subtle.digest("SHA-256", await file.arrayBuffer());
    return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  } catch {
    return null;
  }
}
