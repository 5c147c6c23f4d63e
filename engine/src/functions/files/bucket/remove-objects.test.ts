import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { FileCache } from "./file-cache.ts";
import { NameLocks } from "./name-locks.ts";
import { removeObjects } from "./remove-objects.ts";

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "remove-objects-"))));
afterEach(() => rmSync(folder, { recursive: true }));

it("keeps the object of a file that an import stored again", async () => {
  const waiting = new Set(["gone", "again"]);
  const removed: string[] = [];
  await removeObjects({
    bucket: { remove: async (name: string) => void removed.push(name) } as never,
    owner: { hasTakenOver: false, require: async () => undefined, markEmpty: () => undefined },
    cache: await FileCache.open({ folder, maxBytes: 1 }),
    locks: new NameLocks(),
    transactor: {
      async request(kind: string, params: { uuid?: string; names?: string[] }) {
        if (kind === "removedObjects") return [...waiting];
        if (kind === "findFile") return params.uuid === "again" ? {} : null;
        for (const name of params.names ?? []) waiting.delete(name);
        return null;
      },
    } as never,
    signal: new AbortController().signal,
  });
  expect([removed, [...waiting]]).toEqual([["gone"], []]);
});
