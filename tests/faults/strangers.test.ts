import { once } from "node:events";
import { ConvexHttpClient } from "convex/browser";
import { anyApi } from "convex/server";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { startDeployment } from "@atelier/engine";
import { deployFixture, type Deployed } from "@atelier/engine/testing/deployed";
import { ADMIN_KEY, removeFolder, temporaryFolder } from "@atelier/engine/testing/harness";

let deployed: Deployed;
let url: string;
beforeAll(async () => {
  deployed = await deployFixture("faults");
  ({ url } = deployed.deployment);
});
afterAll(() => deployed.end());

const counters = anyApi.counters!;
const http = () => new ConvexHttpClient(url, { logger: false });
const hello = () => ({ type: "Connect", sessionId: crypto.randomUUID(), connectionCount: 0, lastCloseReason: null, clientTs: Date.now() });

function open(address = url, origin?: string): Promise<WebSocket> {
  const socket = new WebSocket(`${address.replace("http", "ws")}/api/1.48.0/sync`, origin === undefined ? {} : { origin });
  return new Promise((resolve, reject) => socket.once("open", () => resolve(socket)).once("error", reject));
}

async function answered(socket: WebSocket): Promise<void> {
  const closed = socket.readyState === WebSocket.CLOSED ? null : once(socket, "close");
  socket.ping();
  await Promise.race([closed, once(socket, "pong")]);
  await http().query(counters.get!, { name: "x" });
}

describe("fuzzed", { timeout: 60_000 }, () => {
  it("bodies never cause a server error", async () => {
    const calls = "query query_ts query_at_ts query_batch mutation action function run/messages/list debug_event storage/upload";
    const administration = "get_config_hashes update_environment_variables import/start_upload";
    const pushes = "start_push evaluate_push evaluate_schema wait_for_schema finish_push report_push_completed";
    const routes = [calls, administration, pushes.replace(/\w+/g, "deploy2/$&")].flatMap((list) => list.split(" "));
    const names = [
      "path",
      "args",
      "format",
      "ts",
      "queries",
      "changes",
      "appDefinition",
      "componentDefinitions",
      "schemaChange",
      "startPush",
      "componentPath",
    ];
    const named = fc.dictionary(
      fc.constantFrom(...names),
      fc.oneof(fc.jsonValue(), fc.constantFrom("messages:list", "messages:send", "json", "convex_encoded_json")),
    );
    const body = fc.oneof(
      named.map((fields) => JSON.stringify(fields)),
      fc.json(),
      fc.string(),
    );
    const result = await fc.check(
      fc.asyncProperty(fc.constantFrom(...routes), body, fc.boolean(), async (route, text, admin) => {
        const response = await fetch(`${url}/api/${route}`, {
          method: "POST",
          body: text,
          headers: admin ? { Authorization: `Convex ${ADMIN_KEY}` } : {},
        });
        await response.text();
        return response.status !== 500;
      }),
      { numRuns: 400 },
    );
    expect(result).toMatchObject({ failed: false });
  });

  it("paths and queries never cause a server error", async () => {
    const result = await fc.check(
      fc.asyncProperty(
        fc.constantFrom("/api/query?path=", "/api/run/", "/api/storage/", "/", "/http/", "/api/query_at_ts?ts="),
        fc.string(),
        fc.constantFrom("GET", "POST", "PUT"),
        async (start, rest, method) => {
          const response = await fetch(url + start + encodeURIComponent(rest), { method });
          await response.text();
          return response.status !== 500;
        },
      ),
      { numRuns: 200 },
    );
    expect(result).toMatchObject({ failed: false });
  });

  it("malformed frames cause a FatalError or nothing", async () => {
    const frame = fc.oneof(
      fc.string(),
      fc.json(),
      fc.record({
        type: fc.constantFrom("Connect", "ModifyQuerySet", "Authenticate", "Mutation", "Action", "Event"),
        requestId: fc.integer(),
        udfPath: fc.oneof(fc.string(), fc.constantFrom("messages:list", "_system/cli/tables", "counters:add")),
        args: fc.array(fc.jsonValue(), { maxLength: 2 }),
        baseVersion: fc.integer({ min: -1, max: 2 }),
        newVersion: fc.integer({ min: -1, max: 3 }),
        modifications: fc.array(fc.jsonValue(), { maxLength: 2 }),
        tokenType: fc.constantFrom("None", "User", "Admin", "Other"),
        value: fc.string(),
      }),
    );
    const result = await fc.check(
      fc.asyncProperty(fc.array(frame, { maxLength: 5 }), fc.boolean(), async (frames, polite) => {
        const socket = await open();
        const codes: number[] = [];
        socket.once("close", (code) => codes.push(code));
        if (polite) socket.send(JSON.stringify(hello()));
        for (const sent of frames) socket.send(typeof sent === "string" ? sent : JSON.stringify(sent));
        await answered(socket);
        socket.terminate();
        return !codes.includes(1011);
      }),
      { numRuns: 60 },
    );
    expect(result).toMatchObject({ failed: false });
    expect(await http().query(counters.get!, { name: "x" })).toBe(0);
  });
});

describe("a client that does not read", () => {
  it("skips intermediate states, and receives the newest when it reads again", async () => {
    const socket = await open();
    const values: number[] = [];
    socket.on("message", (data) => {
      const message = JSON.parse(Buffer.isBuffer(data) ? data.toString() : "null");
      for (const { value } of message.modifications ?? []) values.push(value.value);
    });
    const add = { type: "Add", queryId: 0, udfPath: "counters:padded", args: [{ name: "slow", length: 1_000_000 }] };
    socket.send(JSON.stringify(hello()));
    socket.send(JSON.stringify({ type: "ModifyQuerySet", baseVersion: 0, newVersion: 1, modifications: [add] }));
    await expect.poll(() => values).toEqual([0]);
    socket.pause();
    for (let i = 0; i < 60; i += 1) await http().mutation(counters.add!, { name: "slow", by: 1 });
    socket.resume();
    await expect.poll(() => values.at(-1), { timeout: 60_000 }).toBe(60);
    expect(values.length).toBeLessThan(40);
    socket.close();
  });
});

describe("a function that never ends", () => {
  it("is stopped, and other requests are answered", async () => {
    const endless = http().query(counters.endless!, {});
    const others = Promise.all(Array.from({ length: 20 }, () => http().mutation(counters.add!, { name: "beside", by: 1 })));
    await expect(endless).rejects.toThrow(/timed out/i);
    expect((await others).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
  });
});

describe("a list of allowed origins", () => {
  it("keeps other pages from opening a websocket", async () => {
    const dataDir = temporaryFolder("origins");
    const strict = await startDeployment({ dataDir, port: 0, sitePort: 0, adminKey: ADMIN_KEY, allowedOrigins: ["http://app.test"] });
    await expect(open(strict.url, "http://evil.test")).rejects.toThrow(/403/);
    for (const origin of ["http://app.test", undefined]) (await open(strict.url, origin)).close();
    await strict.close();
    removeFolder(dataDir);
  });
});
