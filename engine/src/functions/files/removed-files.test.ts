import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Settings } from "../../transaction/types.ts";
import { RemovedFiles } from "./removed-files.ts";

let folder: string;
let stored: Map<string, string>;
let settings: Settings;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "removed-files-"));
  stored = new Map();
  settings = {
    get: (name) => stored.get(name),
    list: (prefix) => [...stored].filter(([name]) => name.startsWith(prefix)).map(([name, value]) => ({ name, value })),
    set: (name, value) => void stored.set(name, value),
    delete: (name) => void stored.delete(name),
  };
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string) => writeFileSync(join(folder, name), "bytes");

it("keeps a file that an import stored again, at the next start", () => {
  const first = new RemovedFiles(settings, folder, { hasBucket: false });
  for (const name of ["gone", "again"]) write(name);
  first.record(["gone", "again"]);
  for (const name of ["gone", "again"]) first.remove(name);
  for (const name of ["gone", "again"]) write(name);
  new RemovedFiles(settings, folder, { hasBucket: false }).resume((name) => name === "again");
  expect(["gone", "again"].map((name) => existsSync(join(folder, name)))).toEqual([false, true]);
  expect(stored.size).toBe(0);
});

it("keeps the record of a file until its object is removed", () => {
  const first = new RemovedFiles(settings, folder, { hasBucket: true });
  first.record(["one", "two"]);
  for (const name of ["one", "two"]) first.remove(name);
  expect(first.objects(1)).toEqual(["one"]);
  first.objectsRemoved(["one"]);
  first.record(["three"]);
  expect([...stored.keys()]).toEqual(["removed/two", "removed/three"]);
  const next = new RemovedFiles(settings, folder, { hasBucket: true });
  next.resume(() => false);
  expect(next.objects(10)).toEqual(["two", "three"]);
});
