import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { proxyUpgrade } from "httpxy";
import { type Guards, turnAway } from "./guards.ts";
import type { Log } from "./log.ts";

/** Where the browser finds the embedded deployment on our own origin. */
const PREFIX = "/convex";
/** The deployment's websocket; any version of the client library is let through (".." is none), the deployment decides. */
const SYNC = /^\/convex(\/api\/\d[\w.-]*\/sync)$/;
/** How long the deployment may take to answer an upgrade, in ms. */
const UPGRADE_TIMEOUT = 5000;
/** A report of section 7 is a small JSON object; nothing larger passes. */
const EVENT_BYTES = 16 * 1024;
/** A websocket's close frame with 1001, 'going away' (RFC 6455, 7.4.1): the browser connects again, to whoever is here next. */
const GOING_AWAY = Buffer.from([0x88, 0x02, 0x03, 0xe9]);

/** The little of the embedded deployment that strangers may reach: its websocket and one report. Functions, deploy, admin and storage are not here. */
export class Forward {
  readonly #target: string;
  readonly #log: Log;
  readonly #sockets = new Set<Duplex>();
  #going = false;

  /** @param target the deployment's address on loopback */
  constructor(target: string, log: Log) {
    this.#target = target;
    this.#log = log;
  }

  /** Whether this address is the deployment's, whatever becomes of it: the app never sees it. */
  static owns(path: string): boolean {
    return path === PREFIX || path.startsWith(`${PREFIX}/`);
  }

  /** How many websockets are open. */
  get size(): number {
    return this.#sockets.size;
  }

  /** Takes over an upgrade to the websocket; false: it is none, and the socket is still the caller's. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, guards: Guards): boolean {
    const path = SYNC.exec(request.url ?? "")?.[1];
    if (!path) return false;
    if (this.#going || !isWebSocket(request)) {
      turnAway(socket, this.#going ? 503 : 400, guards);
      return true;
    }
    request.url = path;
    // The deployment knows people by the tokens inside the websocket; our cookies and our origin are none of its business.
    delete request.headers.cookie;
    delete request.headers.origin;
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    void this.#pipe(request, socket, head);
    return true;
  }

  async #pipe(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    try {
      const options = { changeOrigin: true, xfwd: false, upgradeTimeout: UPGRADE_TIMEOUT };
      const upstream = await proxyUpgrade(this.#target, request, socket, head, options);
      // What the browser has left unread would hold the deployment's end open, and all that it watches at work.
      const letGo = () => upstream.resume().end();
      if (socket.destroyed) letGo();
      else socket.once("close", letGo);
    } catch (error) {
      this.#log.warn({ error: String(error) }, "a websocket could not be forwarded to the deployment");
    }
  }

  /** Answers what is under the prefix and no websocket: the one report is passed on, all else is not there. */
  async fetch(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname !== `${PREFIX}/api/debug_event` || request.method !== "POST") return missing();
    const body = await readUpTo(request, EVENT_BYTES);
    if (body === null) return new Response("Too large", { status: 413 });
    try {
      const answer = await fetch(`${this.#target}/api/debug_event`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body,
      });
      await answer.body?.cancel();
      return new Response(null, { status: answer.ok ? 200 : 400 });
    } catch {
      return new Response(null, { status: 503 });
    }
  }

  /** Tells every open websocket that we are going, and lets go of it; from now on there are no others. */
  goAway(): void {
    this.#going = true;
    for (const socket of this.#sockets) socket.end(GOING_AWAY);
    setTimeout(() => this.#sockets.forEach((socket) => socket.destroy()), 500).unref();
  }
}

/** Whether it is how a websocket begins (RFC 6455, 4.2.1), of the one version that there is. What is not would be refused by the deployment, without our guards. */
const isWebSocket = ({ headers }: IncomingMessage) =>
  headers.upgrade?.toLowerCase() === "websocket" &&
  headers["sec-websocket-version"] === "13" &&
  /^[\w+/]{22}==$/.test(headers["sec-websocket-key"] ?? "");

const missing = () => new Response("Not found", { status: 404, headers: { "Content-Type": "text/plain; charset=utf-8" } });

async function readUpTo(request: Request, bytes: number): Promise<Uint8Array<ArrayBuffer> | null> {
  const body = new Uint8Array(bytes);
  let length = 0;
  for await (const chunk of request.body ?? []) {
    if (length + chunk.byteLength > bytes) return null;
    body.set(chunk, length);
    length += chunk.byteLength;
  }
  return body.subarray(0, length);
}
