import { expect, it, vi } from "vitest";
import { openVariantCache } from "./variant-cache.server";

const MANY = 100_000;
const KEPT = 1000;

const removed = vi.hoisted(() => ({ files: 0 }));
vi.mock("node:fs/promises", () => ({
  mkdir: async () => undefined,
  opendir: async function* () {},
  readdir: async () => [],
  rename: async () => undefined,
  rm: async () => void removed.files++,
  writeFile: async () => undefined,
}));

it("keeps the newest of 100,000 pictures within its byte limit", async () => {
  const cache = openVariantCache("cache", KEPT * 10);
  await cache.loaded();
  const picture = { type: "image/webp", bytes: Buffer.alloc(10) };
  for (let each = 0; each < MANY; each++) await cache.get(`${each}-320`, async () => picture);
  expect([cache.count(), cache.size(), removed.files]).toEqual([KEPT, KEPT * 10, MANY - KEPT]);
  expect(await cache.groups()).toHaveLength(KEPT);
  await cache.evict(`${MANY - 1}`);
  expect([cache.count(), removed.files]).toEqual([KEPT - 1, MANY - KEPT + 1]);
});
