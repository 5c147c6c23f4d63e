import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { seeded } from "../../../../tests/convex/seeded.ts";
import type { HttpSocket as HttpSocketClass } from "./http-socket";

class Socket extends EventTarget {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static readonly CLOSING = 2;
  static readonly CLOSED = 3;
  readyState = 0;
  onopen: (() => void) | null = null;
  onmessage: ((event: unknown) => void) | null = null;
  onerror: (() => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;
  close() {
    this.readyState = Socket.CLOSED;
    this.closed();
  }
  closed() {
    this.dispatchEvent(new Event("close"));
    this.onclose?.({ code: 1000 });
  }
  open() {
    this.readyState = 1;
    this.dispatchEvent(new Event("open"));
  }
  receive(data = "{}") {
    this.dispatchEvent(new MessageEvent("message", { data }));
  }
  sent: string[] = [];
  delay: number | null = null;
  send(text: string) {
    this.sent.push(text);
    if (this.delay !== null) setTimeout(() => this.receive(HEARTBEAT_ANSWER), this.delay);
  }
}

const HEARTBEAT_ANSWER = '{"type":"Ping","answers":"Heartbeat"}';

const closed: number[] = [];
let online = 0;
let visibilityState = "visible";
let page: EventTarget;
let probe: () => Promise<Pick<Response, "ok" | "text">>;
const READY = { ok: true, text: async () => "{}" };
const UNREADY = { ok: false, text: async () => "" };
let stop: () => void;
let startFastReconnect: () => () => void;
let watchedWebSocket: (options?: { fallsBack?: boolean }) => typeof WebSocket;
let HttpSocket: typeof HttpSocketClass;

beforeEach(async () => {
  vi.resetModules();
  ({ startFastReconnect } = await import("./fast-reconnect"));
  ({ watchedWebSocket } = await import("./watched-socket"));
  ({ HttpSocket } = await import("./http-socket"));
  vi.useFakeTimers();
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  page = new EventTarget();
  closed.length = 0;
  online = 0;
  visibilityState = "visible";
  probe = probe200;
  vi.stubGlobal("WebSocket", Socket);
  vi.stubGlobal("CloseEvent", class extends Event {});
  vi.stubGlobal("navigator", { onLine: true });
  vi.stubGlobal(
    "fetch",
    vi.fn((_address: string, { signal }: { signal: AbortSignal }) => Promise.race([probe(), rejection(signal)])),
  );
  vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    const over = new AbortController();
    setTimeout(() => over.abort(), ms);
    return over.signal;
  });
  vi.stubGlobal("document", {
    get visibilityState() {
      return visibilityState;
    },
  });
  for (const method of ["addEventListener", "removeEventListener", "dispatchEvent"] as const)
    vi.stubGlobal(method, page[method].bind(page));
  page.addEventListener("online", () => void online++);
});

afterEach(() => {
  stop();
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const rejection = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));

function unanswered(): Promise<never> {
  return new Promise(() => {});
}

async function probe200() {
  return READY;
}

function connect(): Socket {
  const made: unknown = new (watchedWebSocket())("ws://localhost:1");
  if (!(made instanceof Socket)) throw new Error("not the stubbed class");
  return Object.assign(made, { onclose: () => void closed.push(Date.now()) });
}

function live(): Socket {
  const socket = connect();
  socket.open();
  socket.receive();
  return socket;
}

it("sends no probe while messages arrive", async () => {
  const socket = live();
  stop = startFastReconnect();
  for (let ping = 0; ping < 8; ping++) {
    await vi.advanceTimersByTimeAsync(15_000);
    socket.receive();
  }
  expect(fetch).not.toHaveBeenCalled();
  expect(closed).toEqual([]);
});

it("sends no second heartbeat to a deployment that answers none", async () => {
  const socket = live();
  stop = startFastReconnect();
  await vi.advanceTimersByTimeAsync(17_000);
  socket.receive('{"type":"Ping"}');
  await vi.advanceTimersByTimeAsync(17_000);
  expect(socket.sent).toHaveLength(1);
  expect(fetch).not.toHaveBeenCalled();
  expect(closed).toEqual([]);
});

describe("a deployment that answers heartbeats", () => {
  async function answering(delay = 100): Promise<Socket> {
    const socket = live();
    socket.delay = delay;
    stop = startFastReconnect();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(fetch).not.toHaveBeenCalled();
    return socket;
  }

  it("gets a heartbeat every 2.5 to 3.5 s", async () => {
    const socket = await answering();
    expect(socket.sent.length).toBeGreaterThanOrEqual(8);
    expect(socket.sent.length).toBeLessThanOrEqual(13);
  });

  it("gets no heartbeat from a hidden tab", async () => {
    const socket = await answering();
    visibilityState = "hidden";
    const before = socket.sent.length;
    await vi.advanceTimersByTimeAsync(15_000);
    expect(socket.sent).toHaveLength(before);
  });

  it("gets a new connection within 4.5 s of a silent loss", async () => {
    const socket = await answering();
    socket.delay = null;
    await vi.advanceTimersByTimeAsync(4_500);
    expect(closed).toHaveLength(1);
    expect(online).toBe(1);
  });

  it.each(["pointerdown", "keydown", "focus"])("gets a new connection within 3 s of %s", async (sign) => {
    for (let seed = 0; seed < 50; seed++) {
      vi.spyOn(Math, "random").mockImplementation(seeded(seed));
      const socket = await answering();
      socket.delay = null;
      socket.receive();
      await vi.advanceTimersByTimeAsync(20 * seed);
      page.dispatchEvent(new Event(sign));
      await vi.advanceTimersByTimeAsync(3_000);
      expect(closed).toHaveLength(seed + 1);
      stop();
      vi.mocked(fetch).mockClear();
    }
  });

  it("reconnects within 3 s of use while a reused connection of probes hangs", async () => {
    const socket = await answering();
    socket.delay = null;
    probe = async () => {
      probe = probe200;
      return unanswered();
    };
    await vi.advanceTimersByTimeAsync(1_000);
    page.dispatchEvent(new Event("pointerdown"));
    await vi.advanceTimersByTimeAsync(3_000);
    expect(closed).toHaveLength(1);
  });

  it("keeps its connection while the server answers no request at all", async () => {
    const socket = await answering();
    socket.delay = null;
    probe = unanswered;
    await vi.advanceTimersByTimeAsync(9_000);
    expect(closed).toEqual([]);
    probe = probe200;
    await vi.advanceTimersByTimeAsync(3_000);
    expect(closed).toHaveLength(1);
  });

  it("allows more time after each replaced connection, until an answer arrives in time", async () => {
    await answering();
    const replaced = async () => {
      const socket = live();
      const before = closed.length;
      while (closed.length === before) await vi.advanceTimersByTimeAsync(100);
      return socket.sent.length;
    };
    const start = Date.now();
    await replaced();
    const first = Date.now() - start;
    await replaced();
    await replaced();
    const limits = Date.now() - start - first;
    expect(limits).toBeGreaterThan(2 * first + 4_000);
    const quick = live();
    quick.delay = 100;
    await vi.advanceTimersByTimeAsync(10_000);
    quick.delay = null;
    await vi.advanceTimersByTimeAsync(9_000);
    expect(closed).toHaveLength(4);
  });
});

it("replaces an open connection that is silent", async () => {
  live();
  stop = startFastReconnect();
  await vi.advanceTimersByTimeAsync(18_000);
  expect(closed).toEqual([]);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(closed).toHaveLength(1);
  expect(online).toBe(1);
});

it("replaces a silent connection while the server does not answer", async () => {
  live();
  probe = unanswered;
  stop = startFastReconnect();
  await vi.advanceTimersByTimeAsync(25_000);
  expect(closed).toHaveLength(1);
});

it("reconnects within 3 s of the server's return", async () => {
  const socket = live();
  stop = startFastReconnect();
  socket.readyState = Socket.CLOSED;
  probe = async () => UNREADY;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(online).toBe(0);
  probe = probe200;
  await vi.advanceTimersByTimeAsync(3_000);
  expect(online).toBeGreaterThan(0);
});

it.each([
  ["disk", true],
  ["deployment", false],
])("reconnects to a server whose %s is not ready: %s", async (part, reconnects) => {
  const socket = live();
  stop = startFastReconnect();
  socket.readyState = Socket.CLOSED;
  const parts = { deployment: "ok", tokens: "ok", disk: "ok", server: "ok", [part]: "fails" };
  probe = async () => ({ ok: false, text: async () => JSON.stringify(parts) });
  await vi.advanceTimersByTimeAsync(2_400);
  expect(online > 0).toBe(reconnects);
});

it("keeps a silent connection whose messages arrive during the probe", async () => {
  const socket = live();
  vi.setSystemTime(Date.now() + 3_600_000);
  probe = async () => {
    socket.receive();
    return READY;
  };
  stop = startFastReconnect();
  await vi.advanceTimersByTimeAsync(3_000);
  expect(fetch).toHaveBeenCalled();
  expect(closed).toEqual([]);
});

it.each(["focus", "visibilitychange", "resume", "pointerdown", "keydown"])("probes at once on %s after sleep", async (sign) => {
  live();
  visibilityState = "hidden";
  stop = startFastReconnect();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(fetch).not.toHaveBeenCalled();
  visibilityState = "visible";
  page.dispatchEvent(new Event(sign));
  await vi.advanceTimersByTimeAsync(0);
  expect(closed).toHaveLength(1);
});

it.each([
  ["hangs", unanswered, [12, 22]],
  ["is slow, but the server answers", probe200, [3, 4]],
] as const)("starts new handshakes while one %s", async (_how, answer, [least, most]) => {
  const reconnectAgain = () => {
    closed.push(Date.now());
    Object.assign(connect(), { onclose: reconnectAgain });
  };
  Object.assign(connect(), { onclose: reconnectAgain });
  probe = answer;
  stop = startFastReconnect();
  await vi.advanceTimersByTimeAsync(30_000);
  expect(closed.length).toBeGreaterThanOrEqual(least);
  expect(closed.length).toBeLessThanOrEqual(most);
});

describe("a simulated connection", () => {
  let roundTripMs: number;
  let backAt: number;
  let isWaiting: boolean;
  let handshakes: number;
  let openedAt: number | null;

  beforeEach(() => {
    vi.spyOn(Math, "random").mockImplementation(seeded(27));
    roundTripMs = 20;
    backAt = 0;
    handshakes = 0;
    openedAt = null;
    probe = () => answered(2).then(probe200);
    page.addEventListener("online", () => isWaiting && startHandshake());
  });

  const answered = (roundTrips: number): Promise<void> =>
    Date.now() < backAt ? unanswered() : new Promise((resolve) => setTimeout(resolve, roundTrips * roundTripMs));

  function startHandshake(): Socket {
    const socket = connect();
    handshakes++;
    isWaiting = false;
    Object.assign(socket, { onclose: () => (isWaiting = true) });
    socket.send = () => void answered(1).then(() => socket.receive(HEARTBEAT_ANSWER));
    void answered(3).then(() => {
      if (socket.readyState !== Socket.CONNECTING) return;
      openedAt = Date.now();
      socket.open();
      socket.receive();
    });
    return socket;
  }

  it.each(["open", "connecting", "closed"])("is live within 3 s of an outage: %s", { tags: "@live-after-outage" }, async (state) => {
    for (let tab = 0; tab < 50; tab++) {
      backAt = 0;
      const socket = startHandshake();
      stop = startFastReconnect();
      await vi.advanceTimersByTimeAsync(10_000);
      backAt = Date.now() + 17_000 + 13_000 * Math.random();
      if (state === "closed") {
        socket.readyState = Socket.CLOSED;
        socket.closed();
      }
      if (state === "connecting") startHandshake();
      await vi.advanceTimersByTimeAsync(backAt - Date.now());
      openedAt = null;
      await vi.advanceTimersByTimeAsync(3_000);
      expect(openedAt).not.toBeNull();
      stop();
    }
  });

  it("is live within 3 s of sleep, while a probe hangs on a dead connection", { tags: "@live-after-sleep" }, async () => {
    for (let tab = 0; tab < 50; tab++) {
      startHandshake();
      stop = startFastReconnect();
      await vi.advanceTimersByTimeAsync(5_000 + Math.random() * 5_000);
      vi.setSystemTime(Date.now() + 3_600_000);
      probe = unanswered;
      openedAt = null;
      await vi.advanceTimersByTimeAsync(3_000);
      expect(openedAt).not.toBeNull();
      probe = probe200;
      stop();
    }
  });

  it.each([
    ["known from the page's request", 3_000, 1],
    ["not known", 100, 4],
  ])("connects with round trips of 1.5 s: %s", async (_how, pageMs, most) => {
    const times = { connectStart: 0, connectEnd: pageMs / 2, requestStart: pageMs / 2, responseStart: pageMs };
    const navigation: PerformanceEntry = Object.create(PerformanceResourceTiming.prototype, Object.getOwnPropertyDescriptors(times));
    vi.spyOn(performance, "getEntriesByType").mockReturnValue([navigation]);
    roundTripMs = 1_500;
    startHandshake();
    stop = startFastReconnect();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(openedAt).not.toBeNull();
    expect(handshakes).toBeLessThanOrEqual(most);
    const before = handshakes;
    startHandshake();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(handshakes).toBe(before + 1);
  });

  it("connects although each handshake and most probes take longer than their limits", { tags: "@very-slow-line" }, async () => {
    roundTripMs = 4_000;
    startHandshake();
    stop = startFastReconnect();
    await vi.advanceTimersByTimeAsync(40_000);
    expect(openedAt).not.toBeNull();
  });
});

it("replaces a connection that was opened on the previous network", async () => {
  live();
  stop = startFastReconnect();
  await vi.advanceTimersByTimeAsync(5_000);
  const back = new Event("online");
  Object.defineProperty(back, "isTrusted", { value: true });
  page.dispatchEvent(back);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(closed).toHaveLength(1);
  live();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(closed).toHaveLength(1);
});

it("spreads the first probes of many tabs after a restart", async () => {
  const socket = live();
  const first: number[] = [];
  for (const random of [0, 0.5, 0.99]) {
    vi.spyOn(Math, "random").mockReturnValue(random);
    stop = startFastReconnect();
    await vi.advanceTimersByTimeAsync(5_000);
    vi.mocked(fetch).mockClear();
    socket.readyState = Socket.CLOSED;
    const at = Date.now();
    probe = async () => (first.push(Date.now() - at), UNREADY);
    socket.closed();
    await vi.advanceTimersByTimeAsync(1_000);
    stop();
    socket.readyState = 1;
    socket.receive();
  }
  expect(first).toEqual([0, 500, 990]);
});

it("spreads 1,000 tabs over 3 s after an outage of 3 s", { tags: "@spreads-tabs-after-outage" }, async () => {
  const random = seeded(27);
  vi.spyOn(Math, "random").mockImplementation(random);
  const isReconnected = () => online > 0;
  const perTenth = new Map<number, number>();
  for (let tab = 0; tab < 1_000; tab++) {
    probe = async () => UNREADY;
    const socket = live();
    stop = startFastReconnect();
    await vi.advanceTimersByTimeAsync(random() * 1_000);
    socket.readyState = Socket.CLOSED;
    socket.closed();
    await vi.advanceTimersByTimeAsync(3_000);
    probe = probe200;
    const back = Date.now();
    online = 0;
    while (!isReconnected()) await vi.advanceTimersToNextTimerAsync();
    const tenth = Math.floor((Date.now() - back) / 100);
    perTenth.set(tenth, (perTenth.get(tenth) ?? 0) + 1);
    stop();
  }
  expect(Math.max(...perTenth.keys())).toBeLessThan(30);
  expect(Math.max(...perTenth.values())).toBeLessThan(100);
});

it("uses HTTP after two rejected handshakes, then a websocket when HTTP ends", async () => {
  const create = (): unknown => new (watchedWebSocket({ fallsBack: true }))("ws://localhost:1");
  const rejected = async () => {
    const socket = create();
    if (!(socket instanceof Socket)) throw new Error("not a websocket");
    socket.close();
    await vi.advanceTimersByTimeAsync(3_000);
  };
  stop = startFastReconnect();
  probe = unanswered;
  await rejected();
  expect(create()).toBeInstanceOf(Socket);
  probe = probe200;
  await rejected();
  await rejected();
  const fallback = create();
  expect(fallback).toBeInstanceOf(HttpSocket);
  if (fallback instanceof HttpSocket) fallback.close();
  expect(create()).toBeInstanceOf(Socket);
});
