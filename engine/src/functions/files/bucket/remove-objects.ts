import type { SendRequest } from "../../transactor/transactor-protocol.ts";
import type { Ownership } from "./bucket-owner.ts";
import type { FileBucket } from "./file-bucket.ts";
import type { FileCache } from "./file-cache.ts";
import type { NameLocks } from "./name-locks.ts";

const NAMES_AT_ONCE = 200;
const REQUESTS_AT_ONCE = 8;

export type RemoveObjectsOptions = {
  bucket: FileBucket;
  owner: Ownership;
  cache: FileCache;
  locks: NameLocks;
  transactor: { request: SendRequest };
  signal: AbortSignal;
};

/** Removes the objects and cached copies of removed files. Never of a file that has a row or that a running backup needs. */
export async function removeObjects({ bucket, owner, cache, locks, transactor, signal }: RemoveObjectsOptions): Promise<void> {
  for (const name of await transactor.request("removedObjects", { limit: Infinity })) if (cache.has(name)) await cache.remove(name);
  while (!signal.aborted) {
    const names = await transactor.request("removedObjects", { limit: NAMES_AT_ONCE });
    if (names.length === 0) return;
    for (const name of names) await cache.remove(name);
    await owner.require();
    const removed: string[] = [];
    const remaining = [...names];
    const removeNext = async (): Promise<void> => {
      for (let name = remaining.pop(); name !== undefined && !signal.aborted; name = remaining.pop()) {
        const uuid = name;
        await locks.run(uuid, async () => {
          // An import may have stored the file again.
          if (!(await transactor.request("findFile", { uuid }))) await bucket.remove(uuid);
        });
        removed.push(uuid);
      }
    };
    try {
      await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, removeNext));
    } finally {
      await transactor.request("objectsRemoved", { names: removed });
    }
  }
}
