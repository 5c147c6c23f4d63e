import { readFile } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { createServer } from "node:https";
import { once } from "node:events";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";

const file = (name: string) => readFile(fileURLToPath(new URL(`../fixtures/tls/${name}`, import.meta.url)));

/**
 * A proxy that ends TLS, as one stands in front of the app in production: with the committed certificate for localhost (made for tests, trusted by
 * nobody), and as the one trusted hop, so that X-Forwarded-For tells who asked.
 */
export async function startTlsProxy(port: number, target: () => number): Promise<{ close(): Promise<void> }> {
  const [key, cert] = await Promise.all([file("localhost.key"), file("localhost.crt")]);
  const server = createServer({ key, cert }, (request, response) => {
    const headers = { ...request.headers, "x-forwarded-for": request.socket.remoteAddress ?? "", "x-forwarded-proto": "https" };
    const onward = httpRequest({ host: "127.0.0.1", port: target(), path: request.url, method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  server.on("upgrade", (request, socket, head) => {
    const onward = connect(target(), "127.0.0.1", () => {
      const lines = [`${request.method} ${request.url} HTTP/1.1`];
      for (let at = 0; at < request.rawHeaders.length; at += 2) lines.push(`${request.rawHeaders[at]}: ${request.rawHeaders[at + 1]}`);
      onward.write(`${lines.join("\r\n")}\r\n\r\n`);
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    for (const [one, other] of [
      [onward, socket],
      [socket, onward],
    ] as const)
      one.on("error", () => other.destroy());
  });
  await once(server.listen(port, "127.0.0.1"), "listening");
  return {
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
