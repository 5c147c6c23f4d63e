import type { Target } from "../targets/target.ts";
import { verifyContent } from "./verified.ts";

export type ContentId = { sha256: string; size: number };

type Content = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

export const objectName = (sha256: string): string => `objects/${sha256.slice(0, 2)}/${sha256}`;

/** Reads the objects of a backup. `nameOf` returns null for a content that is not stored. */
export type ObjectReader = {
  nameOf(id: ContentId): string | null;
  /** Yields and compares the content. `local` replaces an object that cannot be decrypted here. Throws `MissingError` or `DamageError`. */
  read(id: ContentId, use: string, local?: () => Content): AsyncIterable<Uint8Array>;
  /** Returns a file with the content that can be linked; null without one. */
  linkSource(id: ContentId): string | null;
};

export type ObjectWriter = {
  has: (id: ContentId) => boolean;
  write: (id: ContentId, content: Content) => Promise<void>;
};

/** Unencrypted objects have the checksum of their content as their name. */
export const plainReader = (target: Target): ObjectReader => ({
  nameOf: ({ sha256 }) => objectName(sha256),
  read: (id, use) => verifyContent(target.read(objectName(id.sha256)), id, `${target.describe(objectName(id.sha256))} (${use})`),
  linkSource: ({ sha256 }) => target.localFile(objectName(sha256)),
});

export async function plainWriter(target: Target): Promise<ObjectWriter> {
  const stored = await target.list("objects");
  return {
    has: ({ sha256, size }) => stored.get(objectName(sha256)) === size,
    async write({ sha256, size }, content) {
      await target.write(objectName(sha256), content);
      stored.set(objectName(sha256), size);
    },
  };
}
