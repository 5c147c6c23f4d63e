import { createHash } from "node:crypto";

export class DamageError extends Error {}

/** Yields the content. Throws `DamageError` at its end unless the content has this size and checksum. */
export async function* verified(
  content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  expected: { sha256: string; size: number },
  what: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    hash.update(chunk);
    yield chunk;
  }
  if (size !== expected.size) throw new DamageError(`${what} has ${size} bytes instead of ${expected.size}.`);
  if (hash.digest("hex") !== expected.sha256) throw new DamageError(`${what} does not match its sha256.`);
}
