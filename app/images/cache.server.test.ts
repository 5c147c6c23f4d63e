import { mkdtemp, readdir, rm, truncate, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openDiskCache } from "./cache.server";

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

describe("openDiskCache", () => {
  it("makes an entry once for all who ask meanwhile, and keeps it", async () => {
    const cache = openDiskCache(folder, 1000);
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

  it("does not keep a failure", async () => {
    const cache = openDiskCache(folder, 1000);
    await expect(cache.get("aa", never)).rejects.toThrow("made again");
    expect((await cache.get("aa", async () => picture(1))).bytes.length).toBe(1);
  });

  it("never holds more than it may: the longest unused goes", async () => {
    const cache = openDiskCache(folder, 100);
    for (const key of ["aa", "bb", "cc"]) await cache.get(key, async () => picture(30));
    await cache.get("aa", never);
    await cache.get("dd", async () => picture(30));
    expect(cache.size()).toBe(90);
    expect((await files()).length).toBe(3);
    await cache.get("aa", never);
    await expect(cache.get("bb", never)).rejects.toThrow("made again");
  });

  it("answers what is larger than all of it without keeping it", async () => {
    const cache = openDiskCache(folder, 100);
    expect((await cache.get("aa", async () => picture(101))).bytes.length).toBe(101);
    expect([cache.size(), (await files()).length]).toEqual([0, 0]);
  });

  it("forgets what begins so, also what is being made", async () => {
    const cache = openDiskCache(folder, 1000);
    for (const key of ["aa-1", "aa-2", "ab-1"]) await cache.get(key, async () => picture(30));
    let finish = () => {};
    const making = cache.get("aa-3", () => new Promise((resolve) => (finish = () => resolve(picture(30)))));
    await expect.poll(() => String(finish)).toContain("resolve");
    const forgotten = cache.forget("aa-");
    finish();
    await Promise.all([making, forgotten]);
    expect([cache.size(), (await files()).length]).toEqual([30, 1]);
    expect(await cache.get("ab-1", never)).toEqual(picture(30));
  });

  it("drops at its start what was not used for long", async () => {
    const first = openDiskCache(folder, 1000);
    for (const key of ["aa", "bb"]) await first.get(key, async () => picture(20));
    const [old = ""] = (await files()).filter((file) => file.includes("aa"));
    await utimes(old, 0, Date.now() / 1000 - 61);
    expect(openDiskCache(folder, 1000, 60_000).size()).toBe(20);
    await expect.poll(async () => (await files()).length).toBe(1);
  });

  it("finds after a restart what it kept, and throws away what is not whole", async () => {
    const first = openDiskCache(folder, 1000);
    await first.get("aa", async () => picture(20, 3));
    await first.get("bb", async () => picture(30, 4));
    const [cut = ""] = (await files()).filter((file) => file.includes("bb."));
    await truncate(cut, 5);
    await writeFile(join(folder, "unfinished.tmp"), "x");

    const second = openDiskCache(folder, 1000);
    expect(second.size()).toBe(20);
    expect(await second.get("aa", never)).toEqual(picture(20, 3));
    await expect(second.get("bb", never)).rejects.toThrow("made again");
    await expect.poll(files).toHaveLength(1);
  });

  it("makes an entry again whose file has gone", async () => {
    const cache = openDiskCache(folder, 1000);
    await cache.get("aa", async () => picture(20));
    for (const file of await files()) await rm(file);
    expect((await cache.get("aa", async () => picture(5))).bytes.length).toBe(5);
    expect(cache.size()).toBe(5);
  });
});
