import { createHash } from "node:crypto";

export class DamageError extends Error {
  /** Whether the data of this machine is damaged, not the backup. */
  readonly isLocal: boolean;

  constructor(message: string, { isLocal = false, ...options }: ErrorOptions & { isLocal?: boolean } = {}) {
    super(message, options);
    this.isLocal = isLocal;
  }
}

export class WrongKeyError extends Error {}

/** Yields the content. Throws `DamageError` at its end unless the content has this checksum and, if it is known, this size. */
export async function* verifyContent(
  content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  expected: { sha256: string; size: number | null },
  what: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    hash.update(chunk);
    yield chunk;
  }
  if (expected.size !== null && size !== expected.size) throw new DamageError(`${what} has ${size} bytes instead of ${expected.size}.`);
  if (hash.digest("hex") !== expected.sha256) throw new DamageError(`${what} does not match its sha256.`);
}
