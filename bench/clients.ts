/** Low-cost clients, the same for app and baseline, because they share the cores with the measured processes. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { WebSocket } from "ws";

export class SyncClient {
  readonly socket: WebSocket;
  #requests = 0;
  readonly #waiting = new Map<number, () => void>();
  /** Called per transition, unparsed: with a thousand subscribers parsing would dominate. */
  onTransition: (text: string) => void = () => undefined;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on("message", (data: Buffer) => {
      const text = data.toString();
      if (text.startsWith('{"type":"MutationResponse"')) this.#answered(text);
      else if (text.startsWith('{"type":"Transition"')) this.onTransition(text);
    });
  }

  static async open(url: string): Promise<SyncClient> {
    const socket = new WebSocket(`${url.replace("http", "ws")}/api/1.48.0/sync`, { perMessageDeflate: false });
    await once(socket, "open");
    const client = new SyncClient(socket);
    client.send({ type: "Connect", sessionId: randomUUID(), connectionCount: 0, lastCloseReason: null, clientTs: Date.now() });
    return client;
  }

  send(message: unknown): void {
    this.socket.send(JSON.stringify(message));
  }

  mutate(udfPath: string, args: object): Promise<void> {
    const requestId = this.#requests++;
    this.send({ type: "Mutation", requestId, udfPath, args: [args] });
    return new Promise((resolve) => this.#waiting.set(requestId, resolve));
  }

  watch(udfPath: string, ...queries: object[]): void {
    const modifications = queries.map((args, queryId) => ({ type: "Add", queryId, udfPath, args: [args] }));
    this.send({ type: "ModifyQuerySet", baseVersion: 0, newVersion: 1, modifications });
  }

  #answered(text: string): void {
    const { requestId = -1, success }: { requestId?: number; success?: boolean } = JSON.parse(text);
    if (!success) throw new Error(text);
    this.#waiting.get(requestId)?.();
    this.#waiting.delete(requestId);
  }

  close(): void {
    this.socket.terminate();
  }
}

const END_OF_HEAD = Buffer.from("\r\n\r\n");

export class HttpConnection {
  readonly #socket: Socket;
  readonly #host: string;
  #received: Buffer = Buffer.alloc(0);
  #done: ((body: string) => void) | null = null;

  private constructor(socket: Socket, host: string) {
    this.#socket = socket;
    this.#host = host;
    socket.setNoDelay(true);
    socket.on("data", (chunk: Buffer) => {
      this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
      this.#take();
    });
  }

  static async open(url: string): Promise<HttpConnection> {
    const { hostname, port, host } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    return new HttpConnection(socket, host);
  }

  post(path: string, body: string): Promise<string> {
    const head = `POST ${path} HTTP/1.1\r\nHost: ${this.#host}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
    this.#socket.write(head + body);
    return new Promise((resolve) => (this.#done = resolve));
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(): void {
    const end = this.#received.indexOf(END_OF_HEAD);
    if (end < 0) return;
    const head = this.#received.toString("latin1", 0, end);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    const start = end + END_OF_HEAD.length;
    if (this.#received.length < start + length) return;
    const body = this.#received.toString("utf8", start, start + length);
    this.#received = this.#received.subarray(start + length);
    if (!head.startsWith("HTTP/1.1 200")) throw new Error(`${head}\n\n${body}`);
    this.#done?.(body);
  }
}

export async function perSecond(lanes: number, ms: number, work: (lane: number) => Promise<unknown>): Promise<number> {
  const started = performance.now();
  let done = 0;
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      while (performance.now() - started < ms) {
        await work(lane);
        done += 1;
      }
    }),
  );
  return (done * 1000) / (performance.now() - started);
}
