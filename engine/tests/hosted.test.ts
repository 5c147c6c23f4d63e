import { afterEach, describe, expect, it } from "vitest";
import type { Simulation } from "../src/simulation/options.ts";
import { deployFixture, pushFixture, type Deployed } from "./deployed.ts";
import { ADMIN_KEY, createIssuer, removeFolder, startEngine, temporaryFolder, type EngineProcess } from "./harness.ts";
import { addQuery, connectMessage, modifyMessage, openRawSocket } from "./raw-socket.ts";

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of undo.splice(0).toReversed()) await end();
});

async function deploy(simulation: Partial<Simulation>): Promise<Deployed> {
  const deployed = await deployFixture("hosted", simulation);
  undo.push(() => deployed.end());
  return deployed;
}

async function start(dataDir: string, args: string[]): Promise<EngineProcess> {
  const engine = await startEngine(dataDir, ADMIN_KEY, undefined, args);
  undo.push(() => engine.stop("SIGKILL"));
  return engine;
}

function folder(): string {
  const dir = temporaryFolder("hosted");
  undo.push(() => removeFolder(dir));
  return dir;
}

type Answer = {
  http: number;
  status?: string;
  value?: unknown;
  code?: string;
  errorMessage?: string;
  errorData?: unknown;
  logLines?: unknown;
};

async function post(url: string, kind: "query" | "mutation" | "action", path: string, args: object, token?: string): Promise<Answer> {
  const headers: Record<string, string> = token === undefined ? {} : { Authorization: token };
  const body = JSON.stringify({ path, args, format: "json" });
  const response = await fetch(`${url}/api/${kind}`, { method: "POST", headers, body });
  return { http: response.status, ...(await response.json()) };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Timers may fire a millisecond early. */
const TOLERANCE_MS = 2;

describe("latency", () => {
  it("is added to each HTTP request, to HTTP actions and to stored files", { tags: "slow" }, async () => {
    const latencyMs = 100;
    const { deployment } = await deploy({ latencyMs });
    const uploadUrl = String((await post(deployment.url, "mutation", "files:uploadUrl", {})).value);
    const upload = await fetch(uploadUrl, { method: "POST", body: "x" });
    const { storageId } = await upload.json();
    const address = String((await post(deployment.url, "query", "files:url", { id: storageId })).value);
    for (const request of [
      () => fetch(`${deployment.url}/version`),
      () => post(deployment.url, "query", "counters:get", { name: "none" }),
      () => fetch(`${deployment.siteUrl}/echo`, { method: "POST", body: "x" }),
      async () => expect(await (await fetch(address)).text()).toBe("x"),
    ])
      expect(await timed(request)).toBeGreaterThanOrEqual(latencyMs - TOLERANCE_MS);
  });

  it("delays a websocket's messages once per direction and keeps their order", { tags: "slow" }, async () => {
    const latencyMs = 300;
    const { deployment } = await deploy({ latencyMs });
    const opened = performance.now();
    const { socket, received, send } = await openRawSocket(deployment.url);
    expect(performance.now() - opened).toBeGreaterThanOrEqual(latencyMs - TOLERANCE_MS);
    const count = 100;
    const elapsed = await timed(async () => {
      send(connectMessage());
      for (let requestId = 0; requestId < count; requestId++)
        send({ type: "Mutation", requestId, udfPath: "counters:add", args: [{ name: "order", by: 1 }] });
      await expect.poll(() => received.filter(({ type }) => type === "MutationResponse").length, { interval: 5 }).toBe(count);
    });
    expect(elapsed).toBeGreaterThanOrEqual(latencyMs - TOLERANCE_MS);
    expect(elapsed).toBeLessThan((count * latencyMs) / 2);
    const responses = received.filter(({ type }) => type === "MutationResponse");
    expect(responses.map(({ result }) => result)).toEqual(Array.from({ length: count }, (_, n) => n + 1));
    socket.terminate();
  });
});

describe("write conflicts", () => {
  const commitDelayMs = 300;
  const CALLERS = 40;

  it("answer 503 after all retries, and every acknowledged mutation is applied once", { tags: "slow" }, async () => {
    const { url } = (await deploy({ commitDelayMs })).deployment;
    const answers = await Promise.all(Array.from({ length: CALLERS }, () => post(url, "mutation", "counters:add", { name: "hot", by: 1 })));
    const failed = answers.filter(({ http }) => http !== 200);
    expect(failed.length).toBeGreaterThan(0);
    for (const answer of failed) expect(answer).toMatchObject({ http: 503, code: "OptimisticConcurrencyControlFailure" });
    expect((await post(url, "query", "counters:get", { name: "hot" })).value).toBe(CALLERS - failed.length);
  });

  it("fail a mutation of a websocket without ending the connection", { tags: "slow" }, async () => {
    const { url } = (await deploy({ commitDelayMs, redactErrors: true })).deployment;
    const sockets = await Promise.all(Array.from({ length: CALLERS }, () => openRawSocket(url)));
    for (const { send } of sockets)
      send(connectMessage(), { type: "Mutation", requestId: 0, udfPath: "counters:add", args: [{ name: "hot", by: 1 }] });
    const responses = () => sockets.flatMap(({ received }) => received.filter(({ type }) => type === "MutationResponse"));
    await expect.poll(() => responses().length).toBe(CALLERS);
    const failed = responses().filter(({ success }) => success !== true);
    expect(failed.length).toBeGreaterThan(0);
    for (const { result } of failed)
      expect(result).toMatch(
        /Server Error\nDocuments read from or written to the "counters" table changed while this mutation was being run/,
      );
    expect(sockets.every(({ socket }) => socket.readyState === socket.OPEN)).toBe(true);
    expect((await post(url, "query", "counters:get", { name: "hot" })).value).toBe(CALLERS - failed.length);
    for (const { socket } of sockets) socket.terminate();
  });

  it("leave every transition at one timestamp", async () => {
    const { url } = (await deploy({ commitDelayMs: 2 })).deployment;
    const accounts = 8;
    const total = accounts * 100;
    await post(url, "mutation", "balances:open", { count: accounts });
    const stopping = new AbortController();
    const writers = Array.from({ length: 2 * accounts }, async (_, writer) => {
      for (let n = writer; !stopping.signal.aborted; n++)
        await post(url, "mutation", "balances:transfer", { from: n % accounts, to: (n + 1) % accounts });
    });
    const values = new Map<number, unknown>();
    const shown: { single: number; sum: unknown }[] = [];
    const { socket, send } = await openRawSocket(url);
    socket.on("message", (data: Buffer) => {
      const message: { type: string; modifications?: { queryId: number; value: unknown }[] } = JSON.parse(data.toString());
      if (message.type !== "Transition") return;
      for (const { queryId, value } of message.modifications ?? []) values.set(queryId, value);
      const single = Array.from({ length: accounts }, (_, n) => (values.get(n) as { amount: number }).amount);
      shown.push({ single: single.reduce((sum, amount) => sum + amount, 0), sum: values.get(accounts) });
    });
    const queries = Array.from({ length: accounts }, (_, n) => addQuery(n, "balances:one", { n }));
    send(connectMessage(), modifyMessage(0, ...queries, addQuery(accounts, "balances:sum")));
    await expect.poll(() => shown.length, { timeout: 80_000 }).toBeGreaterThan(10);
    stopping.abort();
    await Promise.all(writers);
    socket.terminate();
    expect(shown.filter(({ single, sum }) => single !== total || sum !== total)).toEqual([]);
  });

  it("lose no acknowledged mutation when the process is killed", { tags: "slow" }, async () => {
    const [dataDir, issuer] = [folder(), await createIssuer()];
    let engine = await start(dataDir, ["--commit-delay", "5"]);
    undo.push(removeFolder.bind(null, await pushFixture(engine, issuer)));
    const acknowledged = Array.from({ length: 4 }, () => 0);
    const add = (name: string) =>
      post(engine.url, "mutation", "counters:add", { name, by: 1 }).then(
        ({ http }) => http,
        () => "killed" as const,
      );
    for (let round = 0; round < 3; round++) {
      const enough = Promise.withResolvers<void>();
      let answers = 0;
      const write = async (n: number) => {
        for (let http = await add(`counter ${n}`); http !== "killed"; http = await add(`counter ${n}`)) {
          if (http === 200) acknowledged[n] = (acknowledged[n] ?? 0) + 1;
          if (++answers === 40) enough.resolve();
        }
      };
      const writers = acknowledged.flatMap((_, n) => [write(n), write(n)]);
      await enough.promise;
      await engine.stop("SIGKILL");
      await Promise.all(writers);
      engine = await start(dataDir, ["--commit-delay", "5"]);
    }
    for (const [n, count] of acknowledged.entries()) {
      const stored = Number((await post(engine.url, "query", "counters:get", { name: `counter ${n}` })).value);
      expect(stored).toBeGreaterThanOrEqual(count);
      expect(stored).toBeLessThanOrEqual(count + 6);
    }
  });
});

describe("limits", () => {
  it("end the websocket of a call beyond the queue, with Convex's reason", async () => {
    const { url } = (await deploy({ concurrentActions: 1 })).deployment;
    const { send, closed } = await openRawSocket(url);
    send(connectMessage());
    for (let requestId = 0; requestId < 66; requestId++)
      send({ type: "Action", requestId, udfPath: "messages:slow", args: [{ ms: 60_000 }] });
    expect(await closed).toEqual({ code: 1011, reason: "TooManyConcurrentRequests" });
  });

  it("refuse writes beyond the throughput, which change nothing", async () => {
    const { url } = (await deploy({ writeBytesPerSecond: 1, commitDelayMs: 1 })).deployment;
    expect(await post(url, "mutation", "counters:add", { name: "bytes", by: 1 })).toMatchObject({ http: 200, value: 1 });
    expect(await post(url, "mutation", "counters:add", { name: "bytes", by: 1 })).toMatchObject({
      http: 503,
      code: "TooManyWritesInTimePeriod",
    });
    expect((await post(url, "query", "counters:get", { name: "bytes" })).value).toBe(1);
  });
});

describe("redaction", () => {
  it("hides thrown errors and log lines from clients, but not from administrators", async () => {
    const { url } = (await deploy({ redactErrors: true })).deployment;
    const head = /^\[Request ID: [0-9a-f]{16}\] Server Error$/;
    expect(await post(url, "query", "messages:crash", {})).toMatchObject({ errorMessage: expect.stringMatching(head) });
    expect(await post(url, "mutation", "messages:fail", { code: "no" })).toMatchObject({
      errorMessage: expect.stringMatching(head),
      errorData: { code: "no" },
    });
    expect(await post(url, "action", "messages:failing", { code: "no" })).toMatchObject({ errorData: { code: "no" } });
    const sending = { channel: "redacted", body: "quiet" };
    expect(await post(url, "mutation", "messages:send", sending)).toMatchObject({ status: "success", logLines: [] });

    const admin = `Convex ${ADMIN_KEY}`;
    expect(await post(url, "query", "messages:crash", {}, admin)).toMatchObject({ errorMessage: expect.stringContaining("a plain error") });
    const logs = await fetch(`${url}/api/stream_function_logs?cursor=0`, { headers: { Authorization: admin } });
    const text = await logs.text();
    for (const logged of ["a plain error", "sending"]) expect(text).toContain(logged);

    const { socket, received, send } = await openRawSocket(url);
    send(connectMessage(), modifyMessage(0, addQuery(0, "messages:crash")));
    await expect.poll(() => received.find(({ type }) => type === "Transition")).toBeDefined();
    expect(JSON.stringify(received)).not.toContain("a plain error");
    socket.terminate();
  });
});

it("--clock-skew shifts the time of tokens, functions and rows", { tags: "slow" }, async () => {
  const skew = -100_000;
  const issuer = await createIssuer();
  const engine = await start(folder(), [`--clock-skew=${skew}`]);
  undo.push(removeFolder.bind(null, await pushFixture(engine, issuer)));
  const isShifted = (time: unknown) => {
    expect(Number(time)).toBeGreaterThan(begun + skew - 1);
    expect(Number(time)).toBeLessThanOrEqual(Date.now() + skew);
  };
  const begun = Date.now();
  isShifted((await post(engine.url, "query", "clock:inQuery", {})).value);
  isShifted((await post(engine.url, "action", "clock:inAction", {})).value);
  const { now, createdAt } = (await post(engine.url, "mutation", "clock:inMutation", {})).value as { now: number; createdAt: number };
  isShifted(now);
  isShifted(createdAt);
  expect(await post(engine.url, "query", "messages:whoAmI", {}, `Bearer ${await issuer.token("ada")}`)).toMatchObject({ http: 401 });
});

it("--hosted rejects a latency that is no number, and accepts overriding options", async () => {
  await expect(start(folder(), ["--hosted", "--latency", "slow"])).rejects.toThrow("--latency must be milliseconds");
  const engine = await start(folder(), ["--hosted", "--latency", "none", "--no-redact-errors"]);
  expect((await fetch(`${engine.url}/version`)).status).toBe(200);
});
