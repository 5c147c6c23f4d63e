import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { proxyUpgrade } from "httpxy";
import { type Guards, rejectSocket } from "../guards.ts";
import { readUpTo, SyncStreams } from "./sync-stream.ts";
import type { Log } from "../../logging/log.ts";

const PREFIX = "/convex";
/** Any client version; the deployment decides. Excludes "..". */
const SYNC = /^\/convex(\/api\/\d[\w.-]*\/sync)$/;
const UPGRADE_TIMEOUT = 5000;
const EVENT_BYTES = 16 * 1024;
/** A close frame with 1001, "going away" (RFC 6455, 7.4.1): the browser reconnects. */
const GOING_AWAY = Buffer.from([0x88, 0x02, 0x03, 0xe9]);

/** Forwards only the websocket, also over HTTP, and one report (specification 7). Functions, deploy, admin and storage stay unreachable. */
export class DeploymentForwarder {
  readonly #target: string;
  readonly #log: Log;
  readonly #sockets = new Set<Duplex>();
  readonly #streams: SyncStreams;
  #going = false;

  constructor(target: string, log: Log) {
    this.#target = target;
    this.#streams = new SyncStreams(target);
    this.#log = log;
  }

  static owns(path: string): boolean {
    return path === PREFIX || path.startsWith(`${PREFIX}/`);
  }

  static isStripped({ url, headers }: IncomingMessage): boolean {
    return SYNC.test(url ?? "") && headers["sec-websocket-key"] !== undefined && headers.upgrade === undefined;
  }

  get size(): number {
    return this.#sockets.size + this.#streams.size;
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, guards: Guards): boolean {
    const path = SYNC.exec(request.url ?? "")?.[1];
    if (!path) return false;
    if (this.#going || !isWebSocket(request)) {
      rejectSocket(socket, this.#going ? 503 : 400, guards);
      return true;
    }
    request.url = path;
    // The deployment authenticates by tokens in the websocket, so cookies are not forwarded.
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
      // Unread data would keep the deployment's socket and its subscriptions open.
      const endUpstream = () => upstream.resume().end();
      if (socket.destroyed) endUpstream();
      else socket.once("close", endUpstream);
    } catch (error) {
      this.#log.warn({ error: String(error) }, "a websocket could not be forwarded to the deployment");
    }
  }

  async fetch(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (SyncStreams.owns(pathname) && !this.#going) return this.#streams.fetch(request);
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

  goAway(): void {
    this.#going = true;
    this.#streams.close();
    for (const socket of this.#sockets) socket.end(GOING_AWAY);
    setTimeout(() => this.#sockets.forEach((socket) => socket.destroy()), 500).unref();
  }
}

/** Validates the handshake (RFC 6455, 4.2.1), because the deployment's own rejection would lack our security headers. */
const isWebSocket = ({ headers }: IncomingMessage) =>
  headers.upgrade?.toLowerCase() === "websocket" &&
  headers["sec-websocket-version"] === "13" &&
  /^[\w+/]{22}==$/.test(headers["sec-websocket-key"] ?? "");

const missing = () => new Response("Page not found\n", { status: 404, headers: { "Content-Type": "text/plain; charset=utf-8" } });
