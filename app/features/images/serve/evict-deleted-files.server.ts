import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ConvexClient } from "convex/browser";
import * as z from "zod";
import { signServiceToken } from "~/features/accounts/session/convex/tokens.server";
import type { AppConfig } from "~/config";
import { addActivity } from "~/lib/http/telemetry/request-activity.server";
import { log } from "~/lib/http/telemetry/log.server";
import { showSize } from "~/lib/http/telemetry/metrics.server";
import { createPause } from "~/lib/http/create-pause.server";
import { api } from "#convex/_generated/api";
import { RELEASED_RETENTION_MS } from "#convex/model/rules";
import type { VariantCache } from "./variant-cache.server";

/** A deletion can become visible after a later one, so the deletions of the last minute (in ms) are read again. */
const OVERLAP = 60_000;
const IDLE_INTERVAL = 60 * 60_000;
const RETRY_INTERVAL = 5000;
const RUN_INTERVAL = 500;
const PAGE = 1000;

/** In ms since 1970: `from` by the deployment's clock, `checkedAt` by this server's. */
const positionSchema = z.object({
  deployment: z.string(),
  from: z.number(),
  checkedAt: z.number(),
});
type Position = z.infer<typeof positionSchema>;

/** Removes variants of deleted files. Compares the whole cache if no position is stored, or the deployment's list starts after it. */
export function evictDeletedFiles(
  config: AppConfig,
  copies: Pick<VariantCache, "evict" | "groups">,
  now: () => number = Date.now,
): { close(): Promise<void> } {
  const client = new ConvexClient(config.convexUrl, { skipConvexDeploymentUrlCheck: true, logger: false, expectAuth: true });
  client.setAuth(() => signServiceToken(config.signingKey));
  const store = positionStore(config);
  const done = new Map<string, number>();
  showSize("deletions_of_the_last_minute", () => done.size);
  let position: Position | null = null;
  const stop = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let isQueued = false;
  let endedAt = -Infinity;

  function schedule(): void {
    if (isQueued || stop.signal.aborted) return;
    isQueued = true;
    clearTimeout(timer);
    running = running.then(async () => {
      await sleep(Math.max(0, endedAt + RUN_INTERVAL - performance.now()), undefined, { ref: false });
      isQueued = false;
      const next = await catchUp().catch((error: unknown) => {
        if (!stop.signal.aborted) log.error({ error }, "deleted images may still be cached");
        return RETRY_INTERVAL;
      });
      endedAt = performance.now();
      if (!stop.signal.aborted) timer = setTimeout(schedule, next).unref();
    });
  }

  async function catchUp(): Promise<number> {
    position ??= await begin();
    addActivity("evicting deleted images");
    const pause = createPause();
    const settledUntil = now() - OVERLAP;
    let { from } = position;
    let hasRecent = false;
    let cursor: string | null = null;
    for (let isDone = false; !isDone && !stop.signal.aborted;) {
      const answer: Released = await client.query(api.released.list, { from: position.from, paginationOpts: { cursor, numItems: PAGE } });
      for (const { id, checksum, at } of answer.page) {
        if (!done.has(id)) await copies.evict(checksum);
        done.set(id, at);
        if (at < settledUntil) from = Math.max(from, at);
        else hasRecent = true;
        await pause();
      }
      ({ isDone, continueCursor: cursor } = answer);
    }
    if (stop.signal.aborted) return 0;
    for (const [id, at] of done) {
      if (at < from) done.delete(id);
      await pause();
    }
    position = { ...position, from, checkedAt: now() };
    await store.write(position);
    return hasRecent ? OVERLAP : IDLE_INTERVAL;
  }

  async function begin(): Promise<Position> {
    const stored = await store.read();
    if (stored && now() - stored.checkedAt < RELEASED_RETENTION_MS - IDLE_INTERVAL) return stored;
    const from = now() - OVERLAP;
    await compare();
    return { deployment: store.deployment, from, checkedAt: now() };
  }

  async function compare(): Promise<void> {
    const pause = createPause();
    const unknown = new Set(await copies.groups());
    for (const table of ["designImages", "imageVersions", "commentImages"] as const) {
      let cursor: string | null = null;
      for (let isDone = unknown.size === 0; !isDone && !stop.signal.aborted;) {
        const answer: Living = await client.query(api.released.living, { table, paginationOpts: { cursor, numItems: PAGE } });
        for (const checksum of answer.page) unknown.delete(checksum);
        ({ isDone, continueCursor: cursor } = answer);
        await pause();
      }
    }
    if (stop.signal.aborted) return;
    for (const checksum of unknown) {
      await copies.evict(checksum);
      await pause();
    }
  }

  const unsubscribe = client.onUpdate(api.released.latest, {}, schedule, (error) =>
    log.error({ error }, "deleted images may still be cached"),
  );
  return {
    async close() {
      stop.abort();
      clearTimeout(timer);
      unsubscribe();
      await client.close();
    },
  };
}

type Released = { page: { id: string; checksum: string; at: number }[]; isDone: boolean; continueCursor: string };
type Living = { page: string[]; isDone: boolean; continueCursor: string };

function positionStore(config: AppConfig) {
  const deployment = config.browserConvex.kind === "direct" ? config.convexUrl : "embedded";
  const path = join(config.dataDir, "cache", "released.json");
  return {
    deployment,
    async read(): Promise<Position | null> {
      try {
        const stored = positionSchema.parse(JSON.parse(await readFile(path, "utf8")));
        return stored.deployment === deployment ? stored : null;
      } catch {
        return null;
      }
    },
    async write(position: Position): Promise<void> {
      await writeFile(`${path}.new`, JSON.stringify(position), { mode: 0o600 });
      await rename(`${path}.new`, path);
    },
  };
}
