/** Checks the memory limits against clients without a token. Set `FAULT_BYTES=2200000000` for the long run. */
import { readFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { WebSocket } from "ws";
import { ADMIN_KEY, createIssuer, removeFolder, startEngine, temporaryFolder, type EngineProcess } from "@atelier/engine/testing/harness";
import { pushFixture } from "@atelier/engine/testing/deployed";
import { addQuery, connectMessage, modifyMessage } from "@atelier/engine/testing/raw-socket";

const BYTES = Number(process.env.FAULT_BYTES ?? 220_000_000);
const SOCKETS = process.env.FAULT_BYTES ? 50 : 30;
if (process.env.FAULT_BYTES) vi.setConfig({ testTimeout: 600_000 });
const MESSAGE_BYTES = 12_000_000;
const MAX_GROWTH_BYTES = 200_000_000;

const text = "x".repeat(MESSAGE_BYTES);
const values = `[${"[],".repeat(MESSAGE_BYTES / 3 - 1)}[]]`;
const padded = (json: string) => json.replace('"PADDING"', () => values);

const connect = JSON.stringify(connectMessage());
const request = (type: string, udfPath: string, args: object) => JSON.stringify({ type, requestId: 0, udfPath, args: [args] });

const TEXTS: [string, (n: number) => string][] = [
  ["queries of no function", (n) => JSON.stringify(modifyMessage(n, addQuery(n, "no:function", { text })))],
  ["queries that run", (n) => JSON.stringify(modifyMessage(n, addQuery(n, "counters:get", { name: `${n}${text}` })))],
  ["many small values", (n) => padded(JSON.stringify(modifyMessage(n, addQuery(n, "counters:get", { name: "PADDING" }))))],
  ["mutations", () => request("Mutation", "counters:none", { text })],
  ["actions", () => request("Action", "messages:relay", { body: text })],
];

function encoded(message: (n: number) => string): (n: number) => Buffer {
  const known: Buffer[] = [];
  return (n) => (known[n] ??= Buffer.from(message(n)));
}
const SENDERS = TEXTS.map(([what, message]) => [what, encoded(message)] as const);

/** A mask of zeros, which costs neither side anything (RFC 6455, section 5.3). */
const WEBSOCKET = { perMessageDeflate: false, generateMask: (mask: Buffer) => void mask.fill(0) };

describe.each([
  ["npm run engine", []],
  ["npm start", ["--anonymous-bytes", "262144", "--client-address-header", "x-atelier-client-address"]],
])("%s", (_name, options) => {
  const dataDir = temporaryFolder("memory");
  let engine: EngineProcess;
  let atStart = 0;
  const start = () => startEngine(dataDir, ADMIN_KEY, { port: 0, sitePort: 0 }, options);
  beforeAll(async () => {
    engine = await start();
    removeFolder(await pushFixture(engine, await createIssuer()));
    await engine.stop();
  });
  afterAll(async () => {
    await engine.stop();
    removeFolder(dataDir);
  });

  async function startAnew(): Promise<void> {
    await engine.stop();
    engine = await start();
    await serves();
    atStart = resident();
  }

  async function serves() {
    const body = JSON.stringify({ path: "counters:get", format: "json", args: { name: "x" } });
    const response = await fetch(`${engine.url}/api/query`, { method: "POST", body });
    expect(await response.json()).toMatchObject({ status: "success", value: 0 });
  }

  const resident = () => 1024 * Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${engine.child.pid}/status`, "utf8"))?.[1]);

  async function growth(attack: () => Promise<unknown>): Promise<number> {
    let most = resident();
    const watching = setInterval(() => (most = Math.max(most, resident())), 20);
    await attack().finally(() => clearInterval(watching));
    return Math.max(most, resident()) - atStart;
  }

  function connection(message: (n: number) => Buffer, bytes: number): Promise<{ sent: number; reason: string }> {
    const socket = new WebSocket(`${engine.url.replace("http", "ws")}/api/1.48.0/sync`, WEBSOCKET);
    let sent = 0;
    let n = 0;
    return new Promise((resolve) => {
      const next = () => {
        if (socket.readyState !== WebSocket.OPEN) return;
        if (sent >= bytes) return socket.terminate();
        const data = message(n++);
        socket.send(data, { binary: false }, (error) => {
          if (!error) sent += data.length;
          next();
        });
      };
      socket.on("open", () => socket.send(connect, next)).on("error", () => undefined);
      socket.on("close", (_code, reason) => resolve({ sent: Math.max(sent, MESSAGE_BYTES), reason: reason.toString() }));
    });
  }

  async function attack(message: (n: number) => Buffer): Promise<Set<string>> {
    const reasons = new Set<string>();
    const sender = async () => {
      for (let left = BYTES / SOCKETS; left > 0;) {
        const { sent, reason } = await connection(message, left);
        left -= sent;
        reasons.add(reason);
      }
    };
    await Promise.all(Array.from({ length: SOCKETS }, sender));
    return reasons;
  }

  it.each(SENDERS)("limits its memory when sent %s over websockets", async (_what, message) => {
    await startAnew();
    let reasons = new Set<string>();
    expect(await growth(async () => void (reasons = await attack(message)))).toBeLessThan(MAX_GROWTH_BYTES);
    const isRefused = [...reasons].some((reason) => reason.startsWith("TooManyBytes: "));
    expect(isRefused || options.length === 0).toBe(true);
    await serves();
  });

  it("limits its memory when messages never end", async () => {
    await startAnew();
    const fragment = Buffer.alloc(1_000_000, "x");
    const frames = () =>
      Promise.all(
        Array.from({ length: SOCKETS }, async () => {
          const socket = new WebSocket(`${engine.url.replace("http", "ws")}/api/1.48.0/sync`, WEBSOCKET);
          socket.on("error", () => undefined);
          await new Promise((resolve) => socket.once("open", resolve));
          for (let sent = 0; sent < MESSAGE_BYTES && socket.readyState === WebSocket.OPEN; sent += 1_000_000)
            await new Promise((resolve) => socket.send(fragment, { fin: false, binary: false }, resolve));
          return socket;
        }),
      );
    let sockets: WebSocket[] = [];
    expect(await growth(async () => void (sockets = await frames()))).toBeLessThan(MAX_GROWTH_BYTES);
    for (const socket of sockets) socket.terminate();
  });

  it.each(["query", "mutation", "action"])("limits its memory when sent bodies to /api/%s", async (endpoint) => {
    await startAnew();
    const body = Buffer.from(JSON.stringify({ path: "no:function", format: "json", args: { text } }));
    const post = () =>
      new Promise<number>((resolve) => {
        const sending = httpRequest(`${engine.url}/api/${endpoint}`, { method: "POST" }, (response) => {
          response.resume().once("close", () => resolve(response.statusCode ?? 0));
        });
        sending.on("error", () => resolve(0)).end(body);
      });
    const all = async () => {
      for (let sent = 0; sent < BYTES; sent += SOCKETS * body.length) await Promise.all(Array.from({ length: SOCKETS }, post));
    };
    expect(await growth(all)).toBeLessThan(MAX_GROWTH_BYTES);
  });
});
