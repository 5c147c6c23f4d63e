// The specification's sentences on backend transport (sections 7, 8 and 9), one test each, with the unmodified client.
import { createFetch } from "@better-fetch/fetch";
import { BaseConvexClient, ConvexHttpClient } from "convex/browser";
import { ConvexReactClient } from "convex/react";
import { anyApi } from "convex/server";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { WebSocket } from "ws";
import { deployFixture, type Deployed } from "./deployed.ts";
import { ADMIN_KEY } from "./harness.ts";

let deployed: Deployed;
let url: string;
beforeAll(async () => {
  deployed = await deployFixture("transport");
  ({ url } = deployed.deployment);
});
afterAll(() => deployed.end());
afterEach(() => vi.useRealTimers());

const messages = anyApi.messages!;
type Fetch = typeof globalThis.fetch;
const http = (fetch?: Fetch) => new ConvexHttpClient(url, { logger: false, ...(fetch ? { fetch } : {}) });
const browserSocket = WebSocket as unknown as typeof globalThis.WebSocket;

type Frame = { type: string; [field: string]: unknown };

function tapped(version?: string) {
  const sent: Frame[] = [];
  const received: Frame[] = [];
  const addresses: string[] = [];
  const sockets: WebSocket[] = [];
  class Tapped extends WebSocket {
    constructor(address: string) {
      const path = version === undefined ? address : address.replace(/api\/[^/]+\/sync/, `api/${version}/sync`);
      super(path);
      addresses.push(new URL(path).pathname);
      sockets.push(this);
      this.on("message", (data) => received.push(JSON.parse(Buffer.isBuffer(data) ? data.toString() : "null")));
    }
    override send(data: string) {
      sent.push(JSON.parse(data));
      super.send(data);
    }
  }
  return {
    constructor: Tapped as unknown as typeof globalThis.WebSocket,
    sent,
    received,
    addresses,
    cut: () => sockets.at(-1)?.terminate(),
    sendRaw: (text: string) => sockets.at(-1)?.send(text),
  };
}

class DeadSocket {
  onclose: ((event: { code: number; reason: string }) => void) | null = null;
  close() {}
}
const deadSocket = DeadSocket as unknown as typeof globalThis.WebSocket;

describe("section 7, Backend transport", () => {
  it("posts a JSON body with path, args, encoding format and an optional timestamp", async () => {
    const sent: { path: string; body: unknown }[] = [];
    const client = http(async (input, init) => {
      sent.push({
        path: new URL(input instanceof Request ? input.url : input).pathname,
        body: typeof init?.body === "string" ? JSON.parse(init.body) : null,
      });
      return fetch(input, init);
    });
    await client.query(messages.list!, { channel: "t" });
    await client.consistentQuery(messages.list!, { channel: "t" });
    await client.mutation(messages.send!, { channel: "t", body: "x" });
    await client.action(messages.relay!, { body: "x" });
    const call = (name: string, args: object) => ({ path: `messages:${name}`, args: [args], format: "convex_encoded_json" });
    expect(sent).toEqual([
      { path: "/api/query", body: call("list", { channel: "t" }) },
      { path: "/api/query_ts", body: null },
      { path: "/api/query_at_ts", body: { ...call("list", { channel: "t" }), ts: expect.stringMatching(/^[\w+/]{11}=$/) } },
      { path: "/api/mutation", body: call("send", { channel: "t", body: "x" }) },
      { path: "/api/action", body: call("relay", { body: "x" }) },
    ]);
  });

  it("responds with status, value, errorData, errorMessage and logLines", async () => {
    const post = async (path: string, body: object) =>
      (
        await fetch(`${url}/api/${path}`, {
          method: "POST",
          body: JSON.stringify({ format: "convex_encoded_json", ...body }),
          headers: { Authorization: `Convex ${ADMIN_KEY}` },
        })
      ).json();
    expect(await post("mutation", { path: "messages:send", args: [{ channel: "t", body: "y" }] })).toEqual({
      status: "success",
      value: expect.any(String),
      logLines: ["[LOG] 'sending' 'y'"],
    });
    expect(await post("mutation", { path: "messages:fail", args: [{ code: "c" }] })).toEqual({
      status: "error",
      errorData: { code: "c" },
      errorMessage: expect.any(String),
      logLines: [],
    });
    expect(await post("function", { path: "messages:list", args: { channel: "t" } })).toMatchObject({ status: "success" });
    expect(await post("query_ts", {})).toEqual({ ts: expect.any(String) });
  });

  it("accepts LongWebsocketDisconnect after a request waited for 60 seconds", async () => {
    const reports: { address: string; body: unknown; status: Promise<number> }[] = [];
    const real = globalThis.fetch;
    vi.stubGlobal("fetch", (input: string, init: RequestInit) => {
      const answered = real(input, init);
      reports.push({ address: input, body: init.body, status: answered.then(({ status }) => status) });
      return answered;
    });
    const client = new BaseConvexClient(url, () => undefined, {
      webSocketConstructor: deadSocket,
      logger: false,
      reportDebugInfoToConvex: true,
    });
    vi.useFakeTimers({ toFake: ["Date"] });
    client.mutation("messages:send", { channel: "t", body: "first" }).catch(() => undefined);
    vi.setSystemTime(Date.now() + 59_000);
    client.mutation("messages:send", { channel: "t", body: "second" }).catch(() => undefined);
    expect(reports).toEqual([]);
    vi.setSystemTime(Date.now() + 2_000);
    client.mutation("messages:send", { channel: "t", body: "third" }).catch(() => undefined);
    expect(reports).toMatchObject([{ address: `${url}/api/debug_event`, body: '{"event":"LongWebsocketDisconnect"}' }]);
    expect(await reports[0]?.status).toBe(200);
  });

  it.each(["1.27.0", "1.48.0"])("accepts messages of type Mutation, Action, Event and auth at /api/%s/sync", async (version) => {
    const { constructor, sent, received, addresses } = tapped(version);
    const client = new BaseConvexClient(url, () => undefined, {
      webSocketConstructor: constructor,
      logger: false,
      reportDebugInfoToConvex: true,
    });
    client.setAuth(
      () => deployed.issuer.token("ada"),
      () => undefined,
    );
    client.subscribe("messages:list", { channel: version });
    await client.mutation("messages:send", { channel: version, body: "x" });
    expect(await client.action("messages:relay", { body: "x" })).toBe("relayed x");
    await expect.poll(() => client.localQueryResult("messages:list", { channel: version })).toEqual([{ body: "x", author: "ada" }]);
    expect(new Set(addresses)).toEqual(new Set([`/api/${version}/sync`]));
    const kinds = ["Connect", "ModifyQuerySet", "Authenticate", "Mutation", "Action", "Event"];
    expect(new Set(sent.map(({ type }) => type))).toEqual(new Set(kinds));
    expect(sent).toContainEqual(expect.objectContaining({ type: "Authenticate", tokenType: "User", value: expect.any(String) }));
    expect(received.filter(({ type }) => type === "FatalError" || type === "AuthError")).toEqual([]);
    await client.close();
  });

  it("answers a heartbeat in a form that the client ignores", async () => {
    const { constructor, received, sendRaw } = tapped();
    const client = new BaseConvexClient(url, () => undefined, { webSocketConstructor: constructor, logger: false });
    await client.mutation("messages:send", { channel: "heartbeat", body: "x" });
    received.length = 0;
    sendRaw('{"type":"Event","eventType":"Heartbeat","event":null}');
    await expect.poll(() => received).toEqual([{ type: "Ping", answers: "Heartbeat" }]);
    await client.mutation("messages:send", { channel: "heartbeat", body: "y" });
    expect(client.connectionState().connectionRetries).toBe(0);
    await client.close();
  });

  it("receives a transition over 5 MB as TransitionChunks and joins them", async () => {
    const { constructor, received } = tapped();
    const client = new BaseConvexClient(url, () => undefined, { webSocketConstructor: constructor, logger: false });
    client.subscribe("messages:big", { length: 11_000_000 });
    await expect.poll(() => client.localQueryResult("messages:big", { length: 11_000_000 }), { timeout: 15_000 }).toHaveLength(11_000_000);
    const chunks = received.filter(({ type }) => type === "TransitionChunk");
    expect(chunks.map(({ partNumber, totalParts }) => [partNumber, totalParts])).toEqual([
      [0, 3],
      [1, 3],
      [2, 3],
    ]);
    await client.close();
  });

  it("sends a user-authentication token over the websocket", async () => {
    const client = new BaseConvexClient(url, () => undefined, { webSocketConstructor: browserSocket, logger: false });
    const states: boolean[] = [];
    client.setAuth(
      () => deployed.issuer.token("ada"),
      (authenticated) => states.push(authenticated),
    );
    await expect.poll(() => states).toContain(true);
    await client.close();
  });

  it("sends mutations over HTTP one at a time unless skipQueue is set", async () => {
    let running = 0;
    let most = 0;
    const client = http(async (input, init) => {
      running += 1;
      most = Math.max(most, running);
      const response = await fetch(input, init);
      running -= 1;
      return response;
    });
    const send = (options?: { skipQueue: boolean }) =>
      Promise.all([1, 2, 3].map((i) => client.mutation(messages.send!, { channel: "t", body: `${i}` }, options)));
    await send();
    expect(most).toBe(1);
    await send({ skipQueue: true });
    expect(most).toBe(3);
  });
});

describe("section 8, Backend transport errors", () => {
  it("throws errors with the server's data from mutations and actions", async () => {
    const client = new BaseConvexClient(url, () => undefined, { webSocketConstructor: browserSocket, logger: false });
    await expect(http().mutation(messages.fail!, { code: "http" })).rejects.toMatchObject({ data: { code: "http" } });
    await expect(client.mutation("messages:fail", { code: "ws" })).rejects.toMatchObject({ data: { code: "ws" } });
    await expect(client.action("messages:failing", { code: "ws" })).rejects.toMatchObject({ data: { code: "ws" } });
    await expect(http().action(messages.failing!, { code: "http" })).rejects.toMatchObject({ data: { code: "http" } });
    await client.close();
  });

  it("uses the server's text as the message over HTTP", async () => {
    const client = http();
    client.setAuth("nonsense");
    await expect(client.query(messages.list!, { channel: "t" })).rejects.toThrow(/^\{"code":"Unauthenticated","message":"/);
  });

  it("treats status 560 as a function's error in normal JSON", async () => {
    const client = http(async (input, init) => new Response(await (await fetch(input, init)).text(), { status: 560 }));
    await expect(client.mutation(messages.fail!, { code: "560" })).rejects.toMatchObject({ data: { code: "560" } });
    await expect(client.query(messages.crash!, {})).rejects.toThrow("a plain error");
  });

  it("reports an unknown status as 'Invalid response'", async () => {
    const client = http(async () => Response.json({ status: "strange" }));
    await expect(client.query(messages.list!, { channel: "t" })).rejects.toThrow('Invalid response: {"status":"strange"}');
  });

  it("fails an interrupted action with 'Connection lost while action was in flight'", async () => {
    const { constructor, received, cut } = tapped();
    const client = new BaseConvexClient(url, () => undefined, { webSocketConstructor: constructor, logger: false });
    await client.mutation("messages:send", { channel: "cut", body: "x" });
    expect(received.length).toBeGreaterThan(0);
    const acting = client.action("messages:slow", { ms: 3_000 });
    acting.catch(() => undefined);
    await expect.poll(() => client.connectionState().inflightActions).toBe(1);
    cut();
    await expect(acting).rejects.toThrow("Connection lost while action was in flight");
    await client.close();
  });

  it("shows 'Are you sure you want to leave?' while requests are incomplete", async () => {
    const listeners = new Map<string, (event: object) => unknown>();
    vi.stubGlobal("window", {
      addEventListener: (name: string, listener: (event: object) => unknown) => listeners.set(name, listener),
      removeEventListener: () => undefined,
    });
    const client = new BaseConvexClient(url, () => undefined, { webSocketConstructor: browserSocket, logger: false });
    const leave = () => listeners.get("beforeunload")?.({ preventDefault: () => undefined });
    await expect.poll(() => client.connectionState().isWebSocketConnected).toBe(true);
    expect(leave()).toBeUndefined();
    const acting = client.action("messages:slow", { ms: 200 });
    expect(leave()).toBe("Are you sure you want to leave? Your changes may not be saved.");
    await acting;
    expect(leave()).toBeUndefined();
    await client.close();
  });

  it("throws 'No fetch implementation found' without one", async () => {
    vi.stubGlobal("fetch", undefined);
    await expect(createFetch({ baseURL: url, throw: true })("/version")).rejects.toThrow("No fetch implementation found");
  });
});

describe("section 9, Backend", () => {
  it("reconnects after 1 second, doubling up to 16, with 50% jitter", async () => {
    vi.useFakeTimers();
    const waits: number[] = [];
    const note = (...parts: unknown[]) => {
      const match = /Attempting reconnect in (\d+)ms/.exec(parts.join(" "));
      if (match?.[1]) waits.push(Number(match[1]));
    };
    class Refused extends DeadSocket {
      constructor() {
        super();
        setTimeout(() => this.onclose?.({ code: 1006, reason: "" }), 0);
      }
    }
    const logger = { log: note, warn: note, error: note, logVerbose: () => undefined };
    const client = new BaseConvexClient(url, () => undefined, {
      webSocketConstructor: Refused as unknown as typeof globalThis.WebSocket,
      logger: logger as never,
    });
    await vi.advanceTimersByTimeAsync(150_000);
    for (const [i, expected] of [1_000, 2_000, 4_000, 8_000, 16_000, 16_000].entries()) {
      expect(waits[i]).toBeGreaterThanOrEqual(expected * 0.5 - 1);
      expect(waits[i]).toBeLessThanOrEqual(expected * 1.5 + 1);
    }
    void client.close();
  });

  it("keeps a watched query up to date", async () => {
    const client = new ConvexReactClient(url, { webSocketConstructor: browserSocket, logger: false });
    const watch = client.watchQuery(messages.list!, { channel: "fresh" });
    const stop = watch.onUpdate(() => undefined);
    await expect.poll(() => watch.localQueryResult()).toEqual([]);
    await http().mutation(messages.send!, { channel: "fresh", body: "new" });
    await expect.poll(() => watch.localQueryResult()).toEqual([{ body: "new", author: null }]);
    stop();
    await client.close();
  });

  it(
    "applies an optimistic update and replaces it by the server's result",
    { tags: "@applies-optimistic-update-replaces-servers-result" },
    async () => {
      const client = new ConvexReactClient(url, { webSocketConstructor: browserSocket, logger: false });
      const watch = client.watchQuery(messages.list!, { channel: "optimistic" });
      const shown: unknown[] = [];
      const stop = watch.onUpdate(() => shown.push(watch.localQueryResult()));
      await expect.poll(() => shown).toEqual([[]]);
      await client.mutation(
        messages.send!,
        { channel: "optimistic", body: "real" },
        {
          optimisticUpdate: (store) => store.setQuery(messages.list!, { channel: "optimistic" }, [{ body: "expected", author: null }]),
        },
      );
      expect(shown).toEqual([[], [{ body: "expected", author: null }], [{ body: "real", author: null }]]);
      stop();
      await client.close();
    },
  );

  it(
    "reports connection state, connection count and requests in flight",
    { tags: "@reports-connection-state-connection-count-requests" },
    async () => {
      const client = new ConvexReactClient(url, { webSocketConstructor: browserSocket, logger: false });
      await client.query(messages.list!, { channel: "state" });
      expect(client.connectionState()).toMatchObject({
        isWebSocketConnected: true,
        hasEverConnected: true,
        connectionCount: 1,
        connectionRetries: 0,
        hasInflightRequests: false,
        timeOfOldestInflightRequest: null,
      });
      const acting = client.action(messages.slow!, { ms: 300 });
      const writing = client.mutation(messages.send!, { channel: "state", body: "x" });
      expect(client.connectionState()).toMatchObject({
        hasInflightRequests: true,
        inflightMutations: 1,
        inflightActions: 1,
        timeOfOldestInflightRequest: expect.any(Date),
      });
      await Promise.all([acting, writing]);
      expect(client.connectionState()).toMatchObject({ hasInflightRequests: false, inflightMutations: 0, inflightActions: 0 });
      await client.close();
    },
  );
});
