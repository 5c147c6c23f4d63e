import { ConvexClient } from "convex/browser";
import { anyApi, type FunctionReference } from "convex/server";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { WebSocket } from "ws";
import { deployFixture, type Deployed } from "./deployed.ts";
import { addQuery, connectMessage, modifyMessage, openRawSocket } from "./raw-socket.ts";

let deployed: Deployed;
let url: string;
beforeAll(async () => {
  deployed = await deployFixture("sync");
  ({ url } = deployed.deployment);
});
afterAll(() => deployed.end());

const messages = anyApi.messages!;
const counters = anyApi.counters!;

function connect() {
  const sockets: WebSocket[] = [];
  class Tracked extends WebSocket {
    constructor(address: string) {
      super(address);
      sockets.push(this);
    }
  }
  const client = new ConvexClient(url, {
    webSocketConstructor: Tracked as unknown as typeof globalThis.WebSocket,
    logger: false,
    unsavedChangesWarning: false,
  });
  return { client, sockets, cut: () => sockets.at(-1)?.terminate() };
}

function follow(client: ConvexClient, query: FunctionReference<"query">, args: Record<string, unknown>) {
  const values: unknown[] = [];
  const errors: Error[] = [];
  const stop = client.onUpdate(
    query,
    args,
    (value) => values.push(value),
    (error) => errors.push(error),
  );
  return { values, errors, stop };
}

describe("ConvexClient", () => {
  it("receives its own and others' changes, and nothing else", async () => {
    const [one, two] = [connect(), connect()];
    const mine = follow(one.client, messages.list!, { channel: "live" });
    const theirs = follow(two.client, messages.list!, { channel: "live" });
    const other = follow(two.client, messages.list!, { channel: "quiet" });
    await expect.poll(() => [mine.values.length, theirs.values.length, other.values.length]).toEqual([1, 1, 1]);
    await one.client.mutation(messages.send!, { channel: "live", body: "hello" });
    expect(mine.values.at(-1)).toEqual([{ body: "hello", author: null }]);
    await expect.poll(() => theirs.values.at(-1)).toEqual([{ body: "hello", author: null }]);
    expect(other.values).toEqual([[]]);
    await Promise.all([one.client.close(), two.client.close()]);
  });

  it("reports failures of queries, mutations and actions", async () => {
    const { client } = connect();
    const crashing = follow(client, messages.crash!, {});
    await expect
      .poll(() => crashing.errors[0]?.message)
      .toMatch(
        /^\[CONVEX Q\(messages:crash\)\] \[Request ID: [0-9a-f]{16}\] Server Error\nUncaught Error: a plain error\n {2}Called by client$/,
      );
    await expect(client.mutation(messages.fail!, { code: "no" })).rejects.toMatchObject({ data: { code: "no" } });
    await expect(client.action(messages.nothing!, {})).rejects.toThrow(/Could not find/);
    expect(await client.action(messages.relay!, { body: "x" })).toBe("relayed x");
    await client.close();
  });

  it("applies each mutation once and in order over cut connections", { tags: "slow" }, async () => {
    const { client, sockets, cut } = connect();
    const other = connect();
    const seen = follow(client, counters.get!, { name: "once" });
    const applied = follow(other.client, counters.get!, { name: "once" });
    const sent: Promise<unknown>[] = [];
    const add = (count: number) => {
      for (let each = 0; each < count; each += 1) sent.push(client.mutation(counters.add!, { name: "once", by: 1 }));
    };
    for (let round = 0; round < 5; round += 1) {
      add(20);
      await sent.at(-1);
      sockets.at(-1)?.pause();
      add(10);
      await expect.poll(() => applied.values.at(-1)).toBe(40 * round + 30);
      add(10);
      cut();
    }
    expect(await Promise.all(sent)).toEqual(Array.from({ length: 200 }, (_, i) => i + 1));
    await expect.poll(() => seen.values.at(-1)).toBe(200);
    await expect.poll(() => sockets.length).toBe(6);
    await Promise.all([client.close(), other.client.close()]);
  });

  it("reports an action lost with its connection", async () => {
    const { client, cut } = connect();
    const begun = follow(client, counters.get!, { name: "begun" });
    const acting = client.action(messages.announced!, { name: "begun", ms: 3_000 });
    acting.catch(() => undefined);
    await expect.poll(() => begun.values.at(-1)).toBe(1);
    cut();
    await expect(acting).rejects.toThrow("Connection lost while action was in flight");
    await client.close();
  }, 20_000);

  it("never shows an older state after a reconnect", async () => {
    const { client, cut } = connect();
    const seen = follow(client, counters.get!, { name: "forward" });
    for (let i = 0; i < 30; i += 1) {
      await client.mutation(counters.add!, { name: "forward", by: 1 });
      if (i % 10 === 5) cut();
    }
    const numbers = seen.values.map(Number);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(numbers.at(-1)).toBe(30);
    await client.close();
  });

  it("runs actions concurrently", async () => {
    const { client } = connect();
    await Promise.all(Array.from({ length: 5 }, () => client.action(messages.meet!, { name: "meeting", n: 5 })));
    expect(await client.query(counters.get!, { name: "meeting" })).toBe(5);
    await client.close();
  });

  it("signs in and out", async () => {
    const { client } = connect();
    const states: boolean[] = [];
    const seen = follow(client, messages.whoAmI!, {});
    await expect.poll(() => seen.values).toEqual([null]);
    let fetched = 0;
    client.setAuth(
      () => deployed.issuer.token("ada", { claims: { token: ++fetched } }),
      (authenticated) => states.push(authenticated),
    );
    // The client replaces its first token once confirmed, also after a `clearAuth` in between.
    await expect.poll(() => seen.values.at(-1)).toMatchObject({ subject: "ada", token: 2 });
    expect(states.at(-1)).toBe(true);
    client.client.clearAuth();
    await expect.poll(() => seen.values.at(-1)).toBeNull();
    await client.close();
  });

  it("gets an error for an invalid token", { tags: "@told-token-invalid", timeout: 20_000 }, async () => {
    const { client } = connect();
    const states: boolean[] = [];
    client.setAuth(
      () => deployed.issuer.token("ada", { audience: "another" }),
      (authenticated) => states.push(authenticated),
    );
    await expect.poll(() => states, { timeout: 10_000 }).toEqual([false]);
    await client.close();
  });

  it("receives values of many megabytes in chunks", async () => {
    const { client } = connect();
    const value: string = await client.query(messages.big!, { length: 12_000_000 });
    expect(value.length).toBe(12_000_000);
    await client.close();
  }, 20_000);

  it("pages without gaps or overlaps while rows are inserted", async () => {
    const { client } = connect();
    for (let i = 0; i < 5; i += 1) await client.mutation(messages.send!, { channel: "paged", body: `${i}` });
    const pages: { page: { body: string }[]; continueCursor: string; isDone: boolean }[] = [];
    client.onUpdate(
      messages.page!,
      { channel: "paged", paginationOpts: { numItems: 3, cursor: null, id: 1 } },
      (page) => (pages[0] = page),
    );
    await expect.poll(() => pages[0]?.page.length).toBe(3);
    client.onUpdate(
      messages.page!,
      { channel: "paged", paginationOpts: { numItems: 3, cursor: pages[0]?.continueCursor ?? null, id: 1 } },
      (page) => (pages[1] = page),
    );
    await expect.poll(() => pages[1]?.page.length).toBe(2);
    await client.mutation(messages.send!, { channel: "paged", body: "5" });
    await expect.poll(() => pages.flatMap(({ page }) => page.map(({ body }) => body))).toEqual(["0", "1", "2", "3", "4", "5"]);
    await client.close();
  });
});

describe("ConvexClient's pages", () => {
  it("grow without splits or losses while rows are inserted and deleted", async () => {
    const { client } = connect();
    const send = (body: string) => client.mutation(messages.send!, { channel: "growing", body });
    for (let i = 0; i < 10; i += 1) await send(`${i}`);
    type Pages = { results: { body: string }[]; status: string; loadMore(count: number): void };
    let pages: Pages | undefined;
    client.onPaginatedUpdate_experimental(messages.page!, { channel: "growing" }, { initialNumItems: 4 }, (value) => {
      pages = value as unknown as Pages;
    });
    const bodies = () => pages?.results.map(({ body }) => body) ?? [];
    await expect.poll(bodies).toEqual(["0", "1", "2", "3"]);
    expect(pages?.status).toBe("CanLoadMore");
    pages?.loadMore(4);
    await expect.poll(bodies).toEqual(["0", "1", "2", "3", "4", "5", "6", "7"]);
    await send("10");
    pages?.loadMore(10);
    await expect.poll(bodies).toEqual(["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"]);
    await send("11");
    await expect.poll(bodies).toHaveLength(12);
    await client.close();
  });
});

describe("a token that expires", () => {
  it("is refreshed before its expiry, without a rejected call", async () => {
    const client = new ConvexClient(url, {
      webSocketConstructor: WebSocket as unknown as typeof globalThis.WebSocket,
      logger: false,
      unsavedChangesWarning: false,
      authRefreshTokenLeewaySeconds: 1,
    });
    let fetched = 0;
    const states: boolean[] = [];
    client.setAuth(
      async () => {
        fetched += 1;
        return deployed.issuer.token("ada", { expiresIn: 3, claims: { n: fetched } });
      },
      (authenticated) => states.push(authenticated),
    );
    const use = async () => {
      await client.mutation(messages.send!, { channel: "refreshed", body: "used" });
      return fetched;
    };
    await expect.poll(use).toBeGreaterThan(2);
    expect(states.every(Boolean)).toBe(true);
    const stored: { author: string }[] = await client.query(messages.list!, { channel: "refreshed" });
    expect(new Set(stored.map(({ author }) => author))).toEqual(new Set(["ada"]));
    await client.close();
  }, 30_000);
});

describe("the sync protocol", () => {
  const raw = (path?: string) => openRawSocket(url, path);
  const hello = connectMessage();

  it("works at any version, also 1.27.0", async () => {
    for (const version of ["1.27.0", "1.48.0", "2.0.0-beta"]) {
      const { send, received, socket } = await raw(`/api/${version}/sync`);
      send(hello, modifyMessage(0, addQuery(0, "counters:get", { name: "x" })));
      await expect
        .poll(() => received[0])
        .toMatchObject({
          type: "Transition",
          startVersion: { querySet: 0, identity: 0, ts: "AAAAAAAAAAA=" },
          endVersion: { querySet: 1, identity: 0 },
        });
      expect(received[0]).toMatchObject({ modifications: [{ type: "QueryUpdated", queryId: 0, value: 0, logLines: [], journal: null }] });
      socket.close();
    }
  });

  it("versions advance without a gap", async () => {
    const { send, received, socket } = await raw();
    send(hello, modifyMessage(0, addQuery(0, "counters:get", { name: "gap" })));
    send(modifyMessage(1, addQuery(1, "messages:list", { channel: "gap" })), { type: "Authenticate", tokenType: "None", baseVersion: 0 });
    for (let i = 0; i < 10; i += 1) send({ type: "Mutation", requestId: i, udfPath: "counters:add", args: [{ name: "gap", by: 1 }] });
    send(modifyMessage(2, { type: "Remove", queryId: 1 }));
    const transitions = () => received.filter(({ type }) => type === "Transition");
    await expect.poll(() => transitions().at(-1)?.endVersion).toMatchObject({ querySet: 3, identity: 1 });
    await expect.poll(() => received.filter(({ type }) => type === "MutationResponse").length).toBe(10);
    let version: unknown = { querySet: 0, identity: 0, ts: "AAAAAAAAAAA=" };
    for (const transition of transitions()) {
      expect(transition.startVersion).toEqual(version);
      version = transition.endVersion;
    }
    expect(transitions().flatMap((transition) => transition.modifications)).toContainEqual({ type: "QueryRemoved", queryId: 1 });
    socket.close();
  });

  it("returns the first answer to a resent mutation, also on another socket", async () => {
    const session = { ...hello, sessionId: crypto.randomUUID() };
    const mutation = { type: "Mutation", requestId: 7, udfPath: "counters:add", args: [{ name: "resent", by: 1 }] };
    const answers: unknown[] = [];
    for (let i = 0; i < 3; i += 1) {
      const { send, received, socket } = await raw();
      send(session, mutation);
      await expect.poll(() => received.find(({ type }) => type === "MutationResponse")).toBeDefined();
      answers.push(received.find(({ type }) => type === "MutationResponse"));
      socket.close();
    }
    expect(answers[0]).toMatchObject({ success: true, result: 1 });
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
  });

  it.each<[string, unknown[]]>([
    ["no JSON", ["{"]],
    ["a message before Connect", [modifyMessage(0)]],
    ["a second Connect", [hello, hello]],
    ["a wrong base version of the query set", [hello, modifyMessage(3)]],
    ["a wrong base version of the identity", [hello, { type: "Authenticate", tokenType: "None", baseVersion: 2 }]],
    ["a query added twice", [hello, modifyMessage(0, addQuery(0, "a:b"), addQuery(0, "a:b"))]],
    ["the removal of a query that is not there", [hello, modifyMessage(0, { type: "Remove", queryId: 9 })]],
    ["an unknown type", [hello, { type: "Whatever" }]],
  ])("ends with a FatalError after %s", async (_what, sent) => {
    const { send, received, closed } = await raw();
    send(...sent);
    expect((await closed).code).toBe(1008);
    expect(received.at(-1)).toEqual({ type: "FatalError", error: expect.any(String) });
  });

  it("rejects binary and oversized frames and serves others", async () => {
    const binary = await raw();
    binary.socket.send(Buffer.from([1, 2, 3]));
    expect((await binary.closed).code).toBe(1008);
    const large = await raw();
    large.socket.on("error", () => undefined);
    large.send(JSON.stringify({ ...hello, padding: "x".repeat(25 * 1024 * 1024) }));
    expect([1009, 1006]).toContain((await large.closed).code);
    const { send, received, socket } = await raw();
    send(hello, modifyMessage(0, addQuery(0, "counters:get", { name: "x" })));
    await expect.poll(() => received[0]?.type).toBe("Transition");
    socket.close();
  });

  it("sends a slow reader the data in flight, then the newest state", async () => {
    const { client } = connect();
    const { send, received, socket } = await raw();
    send(hello, modifyMessage(0, addQuery(0, "messages:list", { channel: "flood" })));
    await expect.poll(() => received.length).toBe(1);
    socket.pause();
    for (let n = 0; n < 40; n++) await client.mutation(messages.send!, { channel: "flood", body: `${n} ${"x".repeat(12_000)}` });
    socket.resume();
    const newest = () => JSON.stringify(received.at(-1)).includes('"39 xxx');
    await expect.poll(newest).toBe(true);
    expect(received.length).toBeLessThan(15);
    await client.close();
    socket.close();
  });

  it("reports an expired token at its next use and closes", async () => {
    const { send, received, closed } = await raw();
    send(hello, { type: "Authenticate", tokenType: "User", value: await deployed.issuer.token("ada", { expiresIn: 20 }), baseVersion: 0 });
    await expect.poll(() => received[0]?.type).toBe("Transition");
    send({ type: "Mutation", requestId: 7, udfPath: "counters:add", args: [{ name: "expired", by: 1 }] });
    await expect.poll(() => received.some(({ type }) => type === "MutationResponse")).toBe(true);
    const now = Date.now.bind(Date);
    vi.spyOn(Date, "now").mockImplementation(() => now() + 26_000);
    send({ type: "Mutation", requestId: 8, udfPath: "counters:add", args: [{ name: "expired", by: 1 }] });
    await closed;
    expect(received.at(-1)).toMatchObject({ type: "AuthError", authUpdateAttempted: false, baseVersion: 0 });
    expect(received.filter(({ type }) => type === "MutationResponse")).toHaveLength(1);
  });

  it("exists at its own path only", async () => {
    await expect(raw("/api/other")).rejects.toThrow(/404/);
  });
});
