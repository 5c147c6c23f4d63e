import { createHash } from "node:crypto";
import { mkdtemp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startAppBackend } from "../../../../tests/convex/app-backend";
import { type Backend, probe, signUp } from "../../../../tests/convex/backends";
import { addImage, addVersion } from "../../../../tests/convex/pictures";
import { api } from "#convex/_generated/api";
import { RELEASED_RETENTION_MS } from "#convex/model/rules";
import type { AppConfig } from "~/config";
import { type VariantCache, openVariantCache } from "./variant-cache.server";
import { evictDeletedFiles } from "./evict-deleted-files.server";

type Server = {
  config: AppConfig;
  cache: VariantCache;
  add(checksums: string[]): Promise<void>;
  start(now?: () => number): void;
  stop(): Promise<void>;
};

describe("evictDeletedFiles", () => {
  let app: Awaited<ReturnType<typeof startAppBackend>>;
  let backend: Backend;
  let shared: AppConfig;
  let folder: string;
  const servers: Server[] = [];

  beforeAll(async () => {
    app = await startAppBackend();
    ({ backend, config: shared, folder } = app);
  });
  afterAll(() => app.close());
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop();
  });

  async function createServer(): Promise<Server> {
    const dataDir = await mkdtemp(join(folder, "server-"));
    const config = { ...shared, dataDir };
    const cache = openVariantCache(join(dataDir, "cache", "images"), 2 ** 30);
    let following: ReturnType<typeof evictDeletedFiles> | null = null;
    const server: Server = {
      config,
      cache,
      async add(checksums) {
        for (const checksum of checksums)
          await cache.get(`${checksum}-320-webp-1`, async () => ({ type: "image/webp", bytes: Buffer.from("x") }));
      },
      start(now) {
        following = evictDeletedFiles(config, cache, now);
      },
      async stop() {
        await following?.close();
        following = null;
      },
    };
    servers.push(server);
    return server;
  }

  const position = (server: Server) =>
    readFile(join(server.config.dataDir, "cache", "released.json"), "utf8").then(
      (text): unknown => JSON.parse(text),
      () => null,
    );
  async function createFollowing(): Promise<Server> {
    const server = await createServer();
    server.start();
    await expect.poll(() => position(server)).not.toBeNull();
    return server;
  }

  let made = 0;
  const checksums = (count: number) => Array.from({ length: count }, () => createHash("sha256").update(`deleted ${made++}`).digest("hex"));
  async function release(all: string[]): Promise<void> {
    for (let start = 0; start < all.length; start += 2000) {
      const rows = all.slice(start, start + 2000).map((checksum) => ({ checksum }));
      await backend.inside.mutation(probe.insertMany, { table: "releasedFiles", rows });
    }
  }

  it.each([1, 999, 1000, 1001, 5000])(
    "removes the copies of %i files deleted in a second, on two servers",
    { tags: "slow" },
    async (count) => {
      const [running, restarted] = [await createFollowing(), await createFollowing()];
      const [deleted, kept] = [checksums(count), checksums(3)];
      for (const server of [running, restarted]) await server.add([...deleted, ...kept]);
      await restarted.stop();
      await release(deleted);
      await expect.poll(() => running.cache.groups().then((groups) => groups.toSorted())).toEqual(kept.toSorted());

      restarted.start();
      await expect.poll(() => restarted.cache.groups().then((groups) => groups.toSorted())).toEqual(kept.toSorted());
    },
  );

  it("continues after a restart in the middle", { tags: "slow" }, async () => {
    const server = await createFollowing();
    const [deleted, kept] = [checksums(3000), checksums(3)];
    await server.add([...deleted, ...kept]);
    await release(deleted.slice(0, 1500));
    await expect.poll(() => server.cache.groups().then((groups) => groups.length)).toBeLessThan(3003);
    await server.stop();
    await release(deleted.slice(1500));
    server.start();
    await expect.poll(() => server.cache.groups().then((groups) => groups.toSorted())).toEqual(kept.toSorted());
  });

  it("compares the whole cache after a pause that is longer than the list of deletions", async () => {
    const ada = await signUp(backend, "ada");
    const projectId = await ada.mutation(api.projects.create, { name: "Magazine" });
    const designId = await ada.mutation(api.designs.create, { projectId, name: "Cover" });
    const first = await addImage(backend, ada, designId, "a.png");
    await addVersion(backend, ada, first.id, "b.png");
    const images = await backend.inside.query(probe.rows, { table: "designImages", field: "designId", value: designId });
    const versions = await backend.inside.query(probe.rows, { table: "imageVersions", field: "imageId", value: first.id });
    const living = [...new Set([...images, ...versions].map(({ checksum }) => String(checksum)))];
    expect(living).toHaveLength(2);

    const server = await createFollowing();
    await server.add([...living, ...checksums(50)]);
    await server.stop();
    server.start(() => Date.now() + RELEASED_RETENTION_MS);
    await expect.poll(() => server.cache.groups().then((groups) => groups.toSorted())).toEqual(living.toSorted());
  });

  it("compares the whole cache after a change of deployment", async () => {
    const server = await createFollowing();
    await server.stop();
    await server.add(checksums(5));
    server.config.browserConvex = { kind: "direct", url: server.config.convexUrl };
    server.start();
    await expect.poll(() => server.cache.groups()).toEqual([]);
  });
});
