import { ftruncateSync, mkdtempSync, openSync, closeSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JWTPayload } from "jose";
import { expect, it, vi } from "vitest";
import { createTokenVerifier } from "../src/auth/tokens.ts";
import { createLogStream } from "../src/deploy/log-stream.ts";
import { metricsRoutes } from "../src/deploy/metrics.ts";
import type { FunctionLog, FunctionRunner, QueryOutcome } from "../src/functions/types.ts";
import { mapStack, sourceMaps } from "../src/functions/bundles/source-maps.ts";
import { createQueryCache } from "../src/http/query-cache.ts";
import { TransactorThread } from "../src/functions/transactor/transactor-client.ts";
import { openUnusedBytes } from "../src/storage/unused-bytes.ts";
import { History } from "../src/transaction/history.ts";
import { Subscriptions } from "../src/transaction/subscriptions.ts";

const MANY = 100_000;
const FULL_COMMIT_MS = 1;

const ISSUER = "https://issuer.test";
vi.mock("jose", async (original) => ({
  ...(await original<object>()),
  decodeJwt: (): JWTPayload => ({ iss: ISSUER, aud: "app" }),
  jwtVerify: async (token: string): Promise<{ payload: JWTPayload; protectedHeader: object }> => ({
    payload: { iss: ISSUER, sub: token, exp: 2 ** 40 },
    protectedHeader: { kid: "k" },
  }),
}));

function emptyFolder() {
  const path = mkdtempSync(join(tmpdir(), "engine-collections-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

function listeners() {
  const all = new Set<(entry: FunctionLog) => void>();
  const onLog: FunctionRunner["onLog"] = (listener) => {
    all.add(listener);
    return () => all.delete(listener);
  };
  const entry = {
    component: "",
    type: "query",
    identity: "none",
    startedAt: 0,
    durationMs: 1,
    logLines: [],
    error: null,
    requestId: null,
  } as const;
  const log = (path: string, found = true) => {
    for (const listener of all) listener({ ...entry, logLines: [], path, found });
  };
  return { onLog, log };
}

it("caches at most 1,000 answers, and releases the tokens of evicted ones", async () => {
  const dropped = new Set<string>();
  const taken = new Set<string>();
  const cache = createQueryCache({
    latest: () => 1n,
    onCommit: () => () => undefined,
    unsubscribe: (tokens) => tokens.forEach((token) => dropped.add(token)),
    queries: async (calls) => {
      for (const { token } of calls) if (token !== undefined) taken.add(token);
      return calls.map(
        () => ({ ok: true, value: 1, valueText: "1", logLines: [], ts: 1n, readIdentity: false }) as unknown as QueryOutcome,
      );
    },
  });
  for (let each = 0; each < MANY / 2; each++)
    for (let time = 0; time < 2; time++)
      await cache.query({ path: "a:q", args: { each }, identity: { kind: "none" }, visibility: "public" });
  expect([cache.size, taken.size - dropped.size]).toEqual([1000, 1000]);
});

it("keeps the last 1,000 runs for the log stream", async () => {
  const { onLog, log } = listeners();
  const stream = createLogStream({ onLog } as unknown as FunctionRunner);
  for (let each = 0; each < MANY; each++) log(`m:f${each % 10}`);
  expect((await stream.poll(1, new AbortController().signal)).entries).toHaveLength(1000);
  stream.close();
});

it("counts missing functions in one entry, and reports event-loop blocks", async () => {
  const { onLog, log } = listeners();
  const routes = metricsRoutes({
    runner: { onLog, sizes: async () => ({ subscriptions: 7 }), isDamaged: async () => false, files: { status: () => null } },
    authenticator: { requireAdmin: async () => undefined },
    sockets: () => 0,
    watchedQueries: () => 0,
    sizes: () => ({ cached_answers: 5 }),
    loop: { longest: () => 0.3, blocks: () => 1 },
  });
  for (let each = 0; each < MANY; each++) log(`none:${each}`, false);
  const reply = await routes["GET /api/metrics"]?.({ request: { headers: {} } } as never);
  const lines = (typeof reply?.body === "string" ? reply.body : "").split("\n");
  expect(lines.filter((line) => line.startsWith("convex_function_runs_total{"))).toHaveLength(1);
  for (const line of [
    'convex_collection_entries{collection="subscriptions"} 7',
    'convex_collection_entries{collection="cached_answers"} 5',
    'convex_collection_entries{collection="function_tallies"} 1',
    "convex_event_loop_longest_block_seconds 0.3",
    "convex_event_loop_blocks_total 1",
  ])
    expect(lines).toContain(line);
});

it("finds one of 20,000 subscriptions and removes ended ones", () => {
  const many = MANY / 5;
  const subscriptions = new Subscriptions();
  const key = (each: number) => Uint8Array.of(each >> 16, (each >> 8) & 255, each & 255);
  for (let each = 0; each < many; each++) subscriptions.add(`${each}`, [{ index: 1, low: key(each), high: key(each + 1) }]);
  const tokens = new Set<string>();
  subscriptions.collect(1, key(7_777), tokens);
  expect([[...tokens], subscriptions.size]).toEqual([["7777"], many]);
  for (let each = 0; each < many; each++) subscriptions.remove(`${each}`);
  expect([subscriptions.size, subscriptions.has(1)]).toEqual([0, false]);
});

it("caches the source maps of 50 of 100,000 files", () => {
  const frames = Array.from({ length: MANY }, (_, each) => `    at handler (file:///modules/${each}.js:1:1)`);
  expect(mapStack(frames.join("\n"), "/modules")).toHaveLength(MANY);
  expect(sourceMaps.size).toBe(50);
});

it("keeps 30 s of 100,000 commits", () => {
  const history = new History(0n);
  const change = { id: "a", table: {}, before: null, after: null } as never;
  for (let each = 1; each <= MANY; each++) history.add(BigInt(each * FULL_COMMIT_MS) * 1_000_000n, [change]);
  expect(history.size).toBe(30_001);
});

it("caches at most 2,000 verified tokens", async () => {
  const tokens = createTokenVerifier();
  const jwks = `data:text/plain,${encodeURIComponent('{"keys":[]}')}`;
  tokens.configure([{ type: "customJwt", issuer: ISSUER, applicationID: "app", jwks, algorithm: "ES256" }]);
  for (let each = 0; each < MANY; each++) await tokens.verify(`.e30.${each}`);
  expect(tokens.verifiedCount).toBe(2000);
});

it("refuses more than 20,000 waiting requests and answers the others", async () => {
  using folder = emptyFolder();
  const thread = await TransactorThread.start({
    dir: folder.path,
    cloudUrl: "http://127.0.0.1:1",
    siteUrl: "http://127.0.0.1:2",
    acceptLossUntil: null,
    hasFileBucket: false,
    onBatch: () => undefined,
    onFailure: () => undefined,
  });
  try {
    const answers = Array.from({ length: MANY }, () => thread.request("environment", null).catch(String));
    expect(thread.waiting).toBe(20_000);
    const refused = (await Promise.all(answers)).filter((answer) => typeof answer === "string");
    expect([refused.length, new Set(refused).size, thread.waiting]).toEqual([MANY - 20_000, 1, 0]);
  } finally {
    await thread.close();
  }
});

it("clears 100,000 pages in slices and keeps no page numbers", () => {
  using folder = emptyFolder();
  const path = join(folder.path, "data");
  const file = openSync(path, "w");
  ftruncateSync(file, MANY * 512);
  closeSync(file);
  const pages = openUnusedBytes(path, { pageSize: 512, hasPointerMap: false });
  try {
    pages.addAllPages();
    expect(pages.count).toBe(MANY);
    let slices = 0;
    let steps = 0;
    const isOver = () => ++steps % 1000 === 0;
    while (pages.clear(isOver)) slices++;
    expect([pages.count, slices]).toEqual([0, 100]);
  } finally {
    pages.close();
  }
});
