/** Sends SIGKILL at random moments under load. Set `FAULT_ROUNDS=100` for the long run. */
import { setTimeout as sleep } from "node:timers/promises";
import { ConvexClient, ConvexHttpClient } from "convex/browser";
import { anyApi } from "convex/server";
import { afterAll, expect, it } from "vitest";
import { WebSocket } from "ws";
import { checkIntegrity } from "@atelier/engine/integrity";
import { pushFixture } from "@atelier/engine/testing/deployed";
import { ADMIN_KEY, createIssuer, removeFolder, startEngine, temporaryFolder, type EngineProcess } from "@atelier/engine/testing/harness";

const ROUNDS = Number(process.env["FAULT_ROUNDS"] ?? 5);
const CLIENTS = 4;
const IN_FLIGHT = 8;

const data = temporaryFolder("kill");
let running: EngineProcess | null = null;
const folders = [data];
afterAll(async () => {
  await running?.stop("SIGKILL");
  folders.forEach(removeFolder);
});

it(`loses no acknowledged mutation and applies none twice, ${ROUNDS} times`, { timeout: 60_000 + ROUNDS * 30_000 }, async () => {
  let engine = (running = await startEngine(data, ADMIN_KEY));
  folders.push(await pushFixture(engine, await createIssuer()));
  const { url } = engine;
  const ports = { port: Number(new URL(url).port), sitePort: Number(new URL(engine.siteUrl).port) };
  const load = startLoad(url);
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = load.acknowledged.length;
    await expect.poll(() => load.acknowledged.length, { timeout: 25_000 }).toBeGreaterThan(before + CLIENTS * IN_FLIGHT);
    await sleep(Math.random() * 400);
    await engine.stop("SIGKILL");
    expect(checkIntegrity(data)).toEqual([]);
    engine = running = await startEngine(data, ADMIN_KEY, ports);
  }
  await load.end();

  const counts = new Map<string, number>();
  for (const body of await storedBodies(engine)) counts.set(body, (counts.get(body) ?? 0) + 1);
  expect(load.acknowledged.length).toBeGreaterThan(ROUNDS * CLIENTS * IN_FLIGHT);
  expect(load.acknowledged.filter((body) => counts.get(body) !== 1)).toEqual([]);
  // Over HTTP, a call without an answer may have been applied. Over websockets, every applied call is acknowledged.
  const known = new Set(load.acknowledged);
  expect([...counts].filter(([body, count]) => count !== 1 || (body.startsWith("ws") && !known.has(body)))).toEqual([]);
  expect(await engine.stop()).toBe(0);
  expect(checkIntegrity(data)).toEqual([]);
});

function startLoad(url: string) {
  const send = anyApi["messages"]!["send"]!;
  const acknowledged: string[] = [];
  const stopping = new AbortController();
  const clients = Array.from(
    { length: CLIENTS },
    () =>
      new ConvexClient(url, {
        webSocketConstructor: WebSocket as unknown as typeof globalThis.WebSocket,
        logger: false,
        unsavedChangesWarning: false,
      }),
  );
  const lanes = clients.flatMap((client, c) =>
    Array.from({ length: IN_FLIGHT }, async (_, lane) => {
      for (let i = 0; !stopping.signal.aborted; i += 1) {
        const body = `ws ${c} ${lane} ${i}`;
        await client.mutation(send, { channel: `load ${c}`, body });
        acknowledged.push(body);
      }
    }),
  );
  const overHttp = (async () => {
    const client = new ConvexHttpClient(url, { logger: false });
    for (let i = 0; !stopping.signal.aborted; i += 1) {
      const body = `http ${i}`;
      const answered = await client.mutation(send, { channel: "load http", body }).then(
        () => true,
        () => false,
      );
      if (answered) acknowledged.push(body);
      else await sleep(20);
    }
  })();
  return {
    acknowledged,
    async end() {
      stopping.abort();
      await Promise.all([...lanes, overHttp]);
      await Promise.all(clients.map((client) => client.close()));
    },
  };
}

async function storedBodies({ url }: EngineProcess): Promise<string[]> {
  const client = new ConvexHttpClient(url, { logger: false });
  const bodies: string[] = [];
  for (const channel of ["load http", ...Array.from({ length: CLIENTS }, (_, c) => `load ${c}`)]) {
    for (let cursor: string | null = null, isDone = false; !isDone;) {
      const page: { page: { body: string }[]; continueCursor: string; isDone: boolean } = await client.query(anyApi["messages"]!["page"]!, {
        channel,
        paginationOpts: { numItems: 1_000, cursor },
      });
      bodies.push(...page.page.map(({ body }) => body));
      ({ continueCursor: cursor, isDone } = page);
    }
  }
  return bodies;
}
