import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getFunctionName } from "convex/server";
import { expect, it, vi } from "vitest";
import { testConfig } from "~/lib/http/testing";
import { metricsText } from "~/lib/http/telemetry/metrics.server";
import { evictDeletedFiles } from "./evict-deleted-files.server";

const MANY = 100_000;
const PAGE = 1000;
const MINUTE = 60_000;

const deployment = vi.hoisted(() => ({ deletions: new Array<{ id: string; checksum: string; at: number }>(), announce: () => {} }));
vi.mock("convex/browser", () => ({
  ConvexClient: class {
    setAuth() {}
    async close() {}
    onUpdate(_query: unknown, _args: unknown, announce: () => void) {
      deployment.announce = announce;
      announce();
      return () => {};
    }
    async query(query: never, { from, paginationOpts }: { from: number; paginationOpts: { cursor: string | null } }) {
      const since = getFunctionName(query).endsWith("list") ? deployment.deletions.filter(({ at }) => at >= from) : [];
      const end = Number(paginationOpts.cursor ?? 0) + PAGE;
      return { page: since.slice(end - PAGE, end), isDone: end >= since.length, continueCursor: `${end}` };
    }
  },
}));

it("evicts 100,000 deleted pictures once, and removes the deletions after a minute", { tags: "slow" }, async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "evict-"));
  await mkdir(join(dataDir, "cache"));
  const evicted: string[] = [];
  let now = 10 * MINUTE;
  const remove = (each: number) => deployment.deletions.push({ id: `${each}`, checksum: `${each}`, at: now });
  for (let each = 0; each < MANY; each++) remove(each);
  const copies = { groups: async () => [], evict: async (checksum: string) => void evicted.push(checksum) };
  const following = evictDeletedFiles({ ...testConfig, dataDir }, copies, () => now);
  const cachedFiles = async () => Number((await metricsText()).split('{collection="deletions_of_the_last_minute"} ')[1]?.split("\n")[0]);
  try {
    await expect.poll(cachedFiles, { timeout: 20_000 }).toBe(MANY);
    now += 2 * MINUTE;
    remove(MANY);
    now += 2 * MINUTE;
    deployment.announce();
    await expect.poll(cachedFiles, { timeout: 20_000 }).toBe(1);
    expect([evicted.length, new Set(evicted).size]).toEqual([MANY + 1, MANY + 1]);
  } finally {
    await following.close();
    await rm(dataDir, { recursive: true });
  }
});
