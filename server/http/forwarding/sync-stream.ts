import { randomBytes } from "node:crypto";
import { WebSocket } from "ws";
import { CLIENT_ADDRESS_HEADER, clientAddress } from "../client-address.ts";

const STREAM = /^\/convex(\/api\/\d[\w.-]*\/sync)-stream$/;
const SESSION_HEADER = "x-sync-session";
/** Maximum streams. Each counts as a request in flight (`connection-limits.ts`), so some must remain for pages. */
const STREAMS = 250;
const MESSAGES_BYTES = 1024 * 1024;
/** Each message costs a frame, so a request of line breaks would block the server and use hundreds of megabytes. */
const MESSAGES = 4000;
const BUFFERED_BYTES = 64 * 1024;
const HANDSHAKE_TIMEOUT = 5000;

type Stream = { socket: WebSocket; address: string };

/** The websocket over HTTP, for proxies that forward none: a stream of the deployment's messages, and a POST for each of the page's. */
export class SyncStreams {
  readonly #target: string;
  readonly #streams = new Map<string, Stream>();

  constructor(target: string) {
    this.#target = target.replace(/^http/, "ws");
  }

  static owns(path: string): boolean {
    return STREAM.test(path);
  }

  get size(): number {
    return this.#streams.size;
  }

  async fetch(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const path = STREAM.exec(url.pathname)?.[1];
    if (path === undefined || request.method !== "POST" || (request.headers.get("Origin") ?? url.origin) !== url.origin)
      return new Response(null, { status: 403 });
    const session = request.headers.get(SESSION_HEADER);
    return session === null ? this.#open(path, request) : this.#send(session, request);
  }

  close(): void {
    for (const { socket } of this.#streams.values()) socket.terminate();
  }

  #open(path: string, request: Request): Response {
    const address = clientAddress(request);
    if (!this.#makeRoom(address)) return new Response(null, { status: 503, headers: { "Retry-After": "30" } });
    const session = randomBytes(24).toString("base64url");
    const headers = { [CLIENT_ADDRESS_HEADER]: address };
    const socket = new WebSocket(this.#target + path, { headers, perMessageDeflate: false, handshakeTimeout: HANDSHAKE_TIMEOUT });
    this.#streams.set(session, { socket, address });
    const encoder = new TextEncoder();
    let isCancelled = false;
    const body = new ReadableStream<Uint8Array>(
      {
        start(controller) {
          const enqueue = (message: string) => {
            if (isCancelled) return;
            controller.enqueue(encoder.encode(`data: ${message}\n\n`));
            if ((controller.desiredSize ?? 0) <= 0) socket.pause();
          };
          socket.once("open", () => enqueue(session));
          socket.on("message", (message: Buffer) => enqueue(message.toString()));
          socket.on("error", () => socket.terminate());
          socket.once("close", () => isCancelled || controller.close());
        },
        pull: () => socket.resume(),
        cancel() {
          isCancelled = true;
          socket.terminate();
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: BUFFERED_BYTES }),
    );
    socket.once("close", () => this.#streams.delete(session));
    return new Response(body, {
      // Proxies forward each event of this type at once; nginx needs the other header.
      headers: { "Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no" },
    });
  }

  /** At the limit, ends the oldest stream of the address with most streams, unless `address` itself would then have the most. */
  #makeRoom(address: string): boolean {
    if (this.#streams.size < STREAMS) return true;
    const byAddress = Map.groupBy(this.#streams, ([, stream]) => stream.address);
    const most = [...byAddress.values()].reduce((one, other) => (other.length > one.length ? other : one));
    const [oldest] = most;
    if (!oldest || most.length <= (byAddress.get(address)?.length ?? 0) + 1) return false;
    const [session, { socket }] = oldest;
    this.#streams.delete(session);
    socket.terminate();
    return true;
  }

  async #send(session: string, request: Request): Promise<Response> {
    const socket = this.#streams.get(session)?.socket;
    if (socket?.readyState !== WebSocket.OPEN) return new Response(null, { status: 404 });
    const body = await readUpTo(request, MESSAGES_BYTES);
    if (body === null) return new Response(null, { status: 413 });
    const messages = new TextDecoder().decode(body).split("\n", MESSAGES + 1);
    if (messages.length > MESSAGES) return new Response(null, { status: 413 });
    if (socket.bufferedAmount > MESSAGES_BYTES) {
      // The deployment does not read the messages. A later message must not overtake a rejected one.
      socket.terminate();
      return new Response(null, { status: 503 });
    }
    for (const message of messages) socket.send(message);
    return new Response(null, { status: 204 });
  }
}

export async function readUpTo(request: Request, bytes: number): Promise<Uint8Array<ArrayBuffer> | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.byteLength;
    if (length > bytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
