import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import { createRequestListener } from "@remix-run/node-fetch-server";
import { expect, it, vi } from "vitest";
import { discardUnread } from "./discard-unread.ts";

const SIZE = 400_000;

it("receives the next request after one that was answered unread", async () => {
  const app = createRequestListener((request) => new Response(`Not here: ${request.url}`, { status: 404 }));
  const server = createServer((request, response) => {
    discardUnread(request, response);
    void vi.waitUntil(() => request.readableLength >= request.readableHighWaterMark).then(() => app(request, response));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const socket = connect(address && typeof address === "object" ? address.port : 0, "127.0.0.1");
  let heard = "";
  socket.setEncoding("latin1").on("data", (text: string) => (heard += text));

  for (const answers of [1, 2, 3]) {
    socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${SIZE}\r\n\r\n`);
    socket.write(Buffer.alloc(SIZE));
    await expect.poll(() => heard.split("HTTP/1.1 404").length - 1).toBe(answers);
  }
  socket.destroy();
  server.close();
});
