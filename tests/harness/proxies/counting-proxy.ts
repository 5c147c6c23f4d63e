import { once } from "node:events";
import { createServer, type IncomingMessage, request as httpRequest, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type RawData, WebSocket, WebSocketServer } from "ws";
import { freePort } from "../app.ts";

export type DeploymentCall = { endpoint: string; function: string; live: boolean; began: number; ended: number; bytes: number };

export type CountingProxy = {
  url: string;
  takeLiveBytes(): number;
  /** Returns the calls since the last one, without those of the app server's workers and its background work. */
  take(): DeploymentCall[];
  close(): Promise<void>;
};

/** Long enough that calls which the app starts in parallel overlap on a busy machine. */
const LATENCY_MS = 150;
const WORKERS = /^(accounts\/mail:(claim|due)|webhooks:(claim|due)|released:|revocations:|accounts\/deleted:)/;
/** Sent after the start of the app server, and after a response. */
const IN_BACKGROUND = /^(auditLog:recordStart|accounts\/administrators:keepGroups|accounts\/mine:noteActivity)$/;

export async function startCountingProxy(target: string): Promise<CountingProxy> {
  let calls: DeploymentCall[] = [];
  let messages: number[] = [];
  const server = createServer((request, response) => void forward(request, response).catch(() => response.destroy()));

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const call = record(new URL(request.url ?? "", target).pathname, functionIn(body), false);
    await sleep(LATENCY_MS);
    const onward = httpRequest(target + request.url, { method: request.method, headers: request.headers });
    const answered = once(onward, "response");
    onward.end(body);
    const [answer]: IncomingMessage[] = await answered;
    const parts: Buffer[] = [];
    for await (const part of answer ?? []) parts.push(part);
    const bytes = Buffer.concat(parts);
    Object.assign(call, { ended: performance.now(), bytes: bytes.length });
    const { "transfer-encoding": _, ...headers } = answer?.headers ?? {};
    response.writeHead(answer?.statusCode ?? 502, { ...headers, "content-length": bytes.length });
    response.end(bytes);
  }

  function record(endpoint: string, name: string, live: boolean): DeploymentCall {
    const began = performance.now();
    const call = { endpoint, function: name, live, began, ended: Infinity, bytes: 0 };
    calls.push(call);
    return call;
  }

  const sockets = new WebSocketServer({ noServer: true });
  server.on("upgrade", (request, socket, head) => {
    sockets.handleUpgrade(request, socket, head, (browser) => {
      const onward = new WebSocket(target.replace(/^http/, "ws") + request.url);
      const opened = once(onward, "open").catch(() => []);
      browser.on("message", (data) => {
        for (const name of functionsIn(data)) record("/sync", name, true);
        void opened.then(() => onward.readyState === WebSocket.OPEN && onward.send(textOf(data)));
      });
      onward.on("message", (data) => {
        const message = textOf(data);
        messages.push(Buffer.byteLength(message));
        browser.send(message);
      });
      onward.on("close", () => browser.close());
      onward.on("error", () => browser.terminate());
      browser.on("close", () => onward.terminate());
    });
  });
  const port = await freePort();
  await once(server.listen(port, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${port}`,
    take() {
      const taken = calls.filter((call) => !WORKERS.test(call.function) && !IN_BACKGROUND.test(call.function));
      calls = [];
      return taken;
    },
    takeLiveBytes() {
      const bytes = messages.reduce((sum, each) => sum + each, 0);
      messages = [];
      return bytes;
    },
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const functionIn = (body: Buffer): string => /^\{"path":"([\w/:.-]{1,100})"/.exec(body.toString("latin1", 0, 200))?.[1] ?? "";

const textOf = (data: RawData): string => (Buffer.isBuffer(data) ? data.toString() : "");

function functionsIn(data: RawData): string[] {
  const { type, udfPath, modifications = [] } = Object(JSON.parse(textOf(data)));
  if (type === "Mutation" || type === "Action") return [String(udfPath)];
  if (type !== "ModifyQuerySet") return [];
  return modifications.filter((each: { type: string }) => each.type === "Add").map((each: { udfPath: string }) => each.udfPath);
}

export function sequentialCalls(calls: DeploymentCall[]): number {
  const depths = new Map<DeploymentCall, number>();
  for (const call of calls.filter(({ live }) => !live).toSorted((a, b) => a.began - b.began)) {
    const earlier = [...depths].flatMap(([each, depth]) => (each.ended <= call.began ? [depth] : []));
    depths.set(call, 1 + Math.max(0, ...earlier));
  }
  return Math.max(0, ...depths.values());
}
