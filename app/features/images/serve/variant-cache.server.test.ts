import type * as fs from "node:fs/promises";
import { mkdtemp, readdir, rm, truncate, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openVariantCache } from "./variant-cache.server";

const gates = vi.hoisted(() => ({ list: Promise.resolve(), rename: Promise.resolve() }));
vi.mock("node:fs/promises", async (original) => {
  const actual = await original<typeof fs>();
  const opendir: typeof actual.opendir = (...args) => gates.list.then(() => actual.opendir(...args));
  const move: typeof actual.rename = (...args) => gates.rename.then(() => actual.rename(...args));
  return { ...actual, opendir, rename: move };
});

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "cache-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const files = async () =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name));
const picture = (size: number, fill = 1) => ({ type: "image/webp", bytes: Buffer.alloc(size, fill) });
const never = () => Promise.reject(new Error("made again"));

describe("openVariantCache", () => {
  it("creates an entry once for simultaneous requests and stores it", async () => {
    const cache = openVariantCache(folder, 1000);
    let made = 0;
    const make = async () => {
      made++;
      await new Promise((resolve) => setTimeout(resolve, 5));
      return picture(10, 7);
    };
    const answers = await Promise.all([cache.get("aa", make), cache.get("aa", make), cache.get("aa", make)]);
    expect(made).toBe(1);
    expect(answers.every(({ bytes }) => bytes.equals(Buffer.alloc(10, 7)))).toBe(true);
    expect(await cache.get("aa", never)).toEqual(picture(10, 7));
  });

  it("does not store a failure", async () => {
    const cache = openVariantCache(folder, 1000);
    await expect(cache.get("aa", never)).rejects.toThrow("made again");
    expect((await cache.get("aa", async () => picture(1))).bytes.length).toBe(1);
  });

  it("evicts the least recently used entry above the limit", async () => {
    const cache = openVariantCache(folder, 100);
    for (const key of ["aa", "bb", "cc"]) await cache.get(key, async () => picture(30));
    await cache.get("aa", never);
    await cache.get("dd", async () => picture(30));
    expect(cache.size()).toBe(90);
    expect((await files()).length).toBe(3);
    await cache.get("aa", never);
    await expect(cache.get("bb", never)).rejects.toThrow("made again");
  });

  it("returns an entry larger than the cache without storing it", async () => {
    const cache = openVariantCache(folder, 100);
    expect((await cache.get("aa", async () => picture(101))).bytes.length).toBe(101);
    expect([cache.size(), (await files()).length]).toEqual([0, 0]);
  });

  it("removes a group, including entries that are being created", async () => {
    const cache = openVariantCache(folder, 1000);
    for (const key of ["aa-1", "aa-2", "ab-1"]) await cache.get(key, async () => picture(30));
    let finish = () => {};
    const making = cache.get("aa-3", () => new Promise((resolve) => (finish = () => resolve(picture(30)))));
    await expect.poll(() => String(finish)).toContain("resolve");
    const evicted = cache.evict("aa");
    finish();
    await Promise.all([making, evicted]);
    expect([cache.size(), (await files()).length]).toEqual([30, 1]);
    expect(await cache.get("ab-1", never)).toEqual(picture(30));
  });

  it("lists the groups that have entries, also after a restart", async () => {
    const cache = openVariantCache(folder, 1000);
    for (const key of ["aa-1", "aa-2", "ab-1"]) await cache.get(key, async () => picture(30));
    await expect(cache.get("ac-1", never)).rejects.toThrow("made again");
    expect((await cache.groups()).toSorted()).toEqual(["aa", "ab"]);
    await cache.evict("aa");
    expect(await cache.groups()).toEqual(["ab"]);
    expect(await openVariantCache(folder, 1000).groups()).toEqual(["ab"]);
  });

  it("removes entries that were not used for long when it opens", async () => {
    const first = openVariantCache(folder, 1000);
    for (const key of ["aa", "bb"]) await first.get(key, async () => picture(20));
    const [old = ""] = (await files()).filter((file) => file.includes("aa"));
    await utimes(old, 0, Date.now() / 1000 - 61);
    const second = openVariantCache(folder, 1000, 60_000);
    await second.loaded();
    expect([second.size(), (await files()).length]).toEqual([20, 1]);
  });

  it("finds its entries after a restart and removes incomplete ones", async () => {
    const first = openVariantCache(folder, 1000);
    await first.get("aa", async () => picture(20, 3));
    await first.get("bb", async () => picture(30, 4));
    const [cut = ""] = (await files()).filter((file) => file.includes("bb."));
    await truncate(cut, 5);
    await writeFile(join(folder, "unfinished.tmp"), "x");

    const second = openVariantCache(folder, 1000);
    await second.loaded();
    expect([second.size(), (await files()).length]).toEqual([20, 1]);
    expect(await second.get("aa", never)).toEqual(picture(20, 3));
    await expect(second.get("bb", never)).rejects.toThrow("made again");
  });

  it.each(["it may", "a call needs it"])("reads the folder only when %s", async (when) => {
    await openVariantCache(folder, 1000).get("aa-1", async () => picture(20, 3));
    await writeFile(join(folder, "unfinished.tmp"), "x");
    const begin = Promise.withResolvers<void>();
    const second = openVariantCache(folder, 1000, Infinity, begin.promise);
    expect(await second.get("aa-1", never)).toEqual(picture(20, 3));
    expect(await files()).toHaveLength(2);
    if (when === "it may") begin.resolve();
    else await second.groups();
    await expect.poll(files).toHaveLength(1);
  });

  it("returns an entry of an earlier process before the folder has been read", async () => {
    await openVariantCache(folder, 1000).get("aa-1", async () => picture(20, 3));
    const second = openVariantCache(folder, 1000);
    expect(second.count()).toBe(0);
    expect(await second.get("aa-1", never)).toEqual(picture(20, 3));
    await second.loaded();
    expect([second.count(), second.size(), await second.groups()]).toEqual([1, 20, ["aa"]]);
  });

  it("keeps an entry that is being written when the folder is read", async () => {
    const rename = Promise.withResolvers<void>();
    const list = Promise.withResolvers<void>();
    gates.list = list.promise;
    gates.rename = rename.promise;
    const cache = openVariantCache(folder, 1000);
    const making = cache.get("aa-1", async () => picture(20, 9));
    await expect.poll(files).toHaveLength(1);
    list.resolve();
    await cache.loaded();
    rename.resolve();
    await making;
    expect(await cache.get("aa-1", never)).toEqual(picture(20, 9));
  });

  it("evicts only when the folder has been read", async () => {
    const first = openVariantCache(folder, 1000);
    for (let each = 0; each < 5; each++) await first.get(`aa-${each}`, async () => picture(20));
    await first.loaded();
    const list = Promise.withResolvers<void>();
    gates.list = list.promise;
    const second = openVariantCache(folder, 30);
    for (let each = 0; each < 2; each++) await second.get(`ab-${each}`, async () => picture(20));
    expect([second.count(), second.size()]).toEqual([2, 40]);
    list.resolve();
    await second.loaded();
    expect([second.count(), second.size(), (await files()).length]).toEqual([1, 20, 1]);
  });

  it("recreates an entry whose file is damaged", async () => {
    const cache = openVariantCache(folder, 1000);
    await cache.get("aa", async () => picture(20, 3));
    const [path = ""] = await files();
    const damage = () => writeFile(path, Buffer.alloc(20, 4));
    await damage();
    expect(await cache.get("aa", async () => picture(20, 3))).toEqual(picture(20, 3));
    expect(await cache.get("aa", never)).toEqual(picture(20, 3));
    await damage();
    const restarted = openVariantCache(folder, 1000);
    expect(await restarted.get("aa", async () => picture(20, 3))).toEqual(picture(20, 3));
  });

  it("recreates an entry whose file is missing", async () => {
    const cache = openVariantCache(folder, 1000);
    await cache.get("aa", async () => picture(20));
    for (const file of await files()) await rm(file);
    expect((await cache.get("aa", async () => picture(5))).bytes.length).toBe(5);
    expect(cache.size()).toBe(5);
  });
});
