/** Returns random bytes in hexadecimal. `crypto.randomUUID` is missing on plain http. */
export const randomId = (bytes = 12): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) => byte.toString(16).padStart(2, "0")).join("");
