/** Files beyond this are not read into memory only to be compared; in bytes. */
const MOST = 256 * 1024 * 1024;

/**
 * A file's SHA-256 in hexadecimal, computed off the main thread; null where the browser cannot (only secure origins may), the file is too large for
 * that or cannot be read. A worker would change nothing: `crypto.subtle` has threads of its own.
 */
export async function checksumOf(file: File): Promise<string | null> {
  if (file.size > MOST || !globalThis.crypto.subtle) return null;
  try {
    const digest = await crypto.subtle.digest("SHA-256", await file.arrayBuffer());
    return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  } catch {
    return null;
  }
}
