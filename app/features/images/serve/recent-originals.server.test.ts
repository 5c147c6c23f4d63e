import { expect, it, vi } from "vitest";
import { createRecentOriginals } from "./recent-originals.server";

function setUp(bytes = 10) {
  const originals = createRecentOriginals();
  const download = vi.fn<() => Promise<Buffer>>(async () => Buffer.alloc(bytes, "a"));
  return { originals, download };
}

it("downloads a file once for variants of the same minute", async () => {
  const { originals, download } = setUp();
  const [first, second] = await Promise.all([originals.get("a", download), originals.get("a", download)]);
  expect(first).toBe(second);
  await originals.get("a", download);
  expect(download).toHaveBeenCalledTimes(1);
  await originals.get("b", download);
  expect(download).toHaveBeenCalledTimes(2);
  expect(originals.size()).toBe(2);
});

it("keeps no failed download", async () => {
  const { originals, download } = setUp();
  download.mockRejectedValueOnce(new Error("down"));
  await expect(originals.get("a", download)).rejects.toThrow("down");
  expect((await originals.get("a", download)).length).toBe(10);
});

it("keeps no file that is larger than the cache", async () => {
  const { originals, download } = setUp(33 * 2 ** 20);
  await Promise.all([originals.get("a", download), originals.get("a", download)]);
  expect(download).toHaveBeenCalledTimes(1);
  expect(originals.size()).toBe(0);
});
