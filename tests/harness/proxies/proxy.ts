import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as httpRequest,
  type Server,
  type ServerResponse,
} from "node:http";
import { connect } from "node:net";
import type { Duplex } from "node:stream";

export type ProxyOptions = {
  port: number;
  target: () => number;
  server?: Server;
  headers?: (request: IncomingMessage) => IncomingHttpHeaders;
  intercept?: (request: IncomingMessage, response: ServerResponse) => boolean;
};

export type Proxy = {
  url: string;
  /** Forwards no bytes of websockets any more, without closing them. */
  silenceWebSockets(): void;
  close(): Promise<void>;
};

export async function startProxy(options: ProxyOptions): Promise<Proxy> {
  const { port, target, server = createServer(), headers = () => ({}), intercept = () => false } = options;
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if (intercept(request, response)) return;
    const { url: path, method } = request;
    const forwarded = { host: "127.0.0.1", port: target(), path, method, headers: { ...request.headers, ...headers(request) } };
    const onward = httpRequest(forwarded, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(response);
    });
    onward.on("error", () => (response.headersSent ? response.destroy() : reject(request, response, 502)));
    request.pipe(onward);
  });
  const upgraded = new Set<Duplex>();
  const forwarded = new Set<Duplex>();
  let isSilent = false;
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    upgraded.add(socket);
    socket.once("close", () => upgraded.delete(socket));
    if (isSilent) return;
    const onward = connect(target(), "127.0.0.1", () => {
      const lines = [`${request.method} ${request.url} HTTP/1.1`];
      for (let at = 0; at < request.rawHeaders.length; at += 2) lines.push(`${request.rawHeaders[at]}: ${request.rawHeaders[at + 1]}`);
      onward.write(`${lines.join("\r\n")}\r\n\r\n`);
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    for (const each of [onward, socket]) forwarded.add(each.once("close", () => forwarded.delete(each)));
    for (const [one, other] of [
      [onward, socket],
      [socket, onward],
    ] as const)
      one.on("error", () => other.destroy()).once("close", () => other.destroy());
  });
  await once(server.listen(port, "127.0.0.1"), "listening");
  return {
    url: `http://localhost:${port}`,
    silenceWebSockets() {
      isSilent = true;
      for (const each of forwarded) each.unpipe();
    },
    async close() {
      server.closeAllConnections();
      for (const socket of upgraded) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function reject(request: IncomingMessage, response: ServerResponse, status: number): true {
  response.writeHead(status, { "Content-Type": "text/html", Connection: "close" }).end(`<html><h1>${status}</h1><hr>nginx</html>`);
  request.resume();
  return true;
}
