import type { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { sameChecksum } from "./file-names.ts";

export class FileDifference extends Error {
  readonly what: string;
  readonly isMissing: boolean;

  constructor(what: string, { isMissing = false }: { isMissing?: boolean } = {}) {
    super(what);
    this.what = what;
    this.isMissing = isMissing;
  }
}

/** Yields the last chunk only after the whole content has been compared. @throws {FileDifference} */
export async function* verifyContent(
  content: AsyncIterable<Buffer>,
  row: { size: number; sha256: string },
): AsyncGenerator<Buffer, void, undefined> {
  const hash = createHash("sha256");
  let size = 0;
  let last: Buffer | null = null;
  for await (const chunk of content) {
    size += chunk.length;
    hash.update(chunk);
    if (last) yield last;
    last = chunk;
  }
  if (size !== row.size) throw new FileDifference(`has ${size} bytes instead of ${row.size}`);
  if (!sameChecksum(row.sha256, hash.digest())) throw new FileDifference("does not match its sha256");
  if (last) yield last;
}

/** Compares a local file. @throws {FileDifference} also when it cannot be read */
export const verifyFile = (
  path: string,
  row: { size: number; sha256: string },
  chunkBytes: number,
): AsyncGenerator<Buffer, void, undefined> => verifyContent(localContent(path, chunkBytes), row);

async function* localContent(path: string, chunkBytes: number): AsyncGenerator<Buffer, void, undefined> {
  try {
    yield* createReadStream(path, { highWaterMark: chunkBytes });
  } catch (error) {
    throw differenceInReading(error);
  }
}

export function differenceInReading(error: unknown): FileDifference {
  if (error instanceof FileDifference) return error;
  const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
  return new FileDifference(isMissing ? "is missing" : `cannot be read: ${String(error)}`, { isMissing });
}

const READ_AT_ONCE = 1024 * 1024;

export async function differenceOf(path: string, row: { size: number; sha256: string }): Promise<FileDifference | null> {
  try {
    for await (const _ of verifyFile(path, row, READ_AT_ONCE));
    return null;
  } catch (error) {
    if (error instanceof FileDifference) return error;
    throw error;
  }
}
