import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { afterEach, expect, it } from "vitest";
import { DeploymentForwarder } from "./http/forwarding/forward.ts";
import { guardsFor } from "./http/guards.ts";
import { log } from "./logging/log.ts";
import { stoppable } from "./shutdown.ts";

log.level = "silent";

const left: Socket[] = [];
afterEach(() => {
  for (const socket of left.splice(0)) socket.destroy();
});

async function serve() {
  const responses: ServerResponse[] = [];
  const waiting: ((response: ServerResponse) => void)[] = [];
  const server = createServer((_, response) => {
    const wanted = waiting.shift();
    if (wanted) wanted(response);
    else responses.push(response);
  });
  let parted: () => void = () => {};
  const stopping = new Promise<void>((resolve) => {
    parted = resolve;
  });
  const stop = stoppable(server, { goAway: parted, close: async () => {} }, log);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  const port = address && typeof address === "object" ? address.port : 0;
  return {
    stop,
    stopping,
    onUpgrade: (handleUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void) => server.on("upgrade", handleUpgrade),
    next: () =>
      new Promise<ServerResponse>((resolve) => {
        const here = responses.shift();
        if (here) resolve(here);
        else waiting.push(resolve);
      }),
    connect: async () => {
      const socket = connect(port, "127.0.0.1").setEncoding("utf8");
      left.push(socket);
      await once(socket, "connect");
      return {
        sendRequest: (times = 1) => socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(times)),
        send: (text: string) => socket.write(text),
        read: async (end: string) => {
          let text = "";
          while (!text.includes(end)) text += (await once(socket, "data"))[0];
          return text;
        },
        closed: once(socket, "close"),
      };
    },
  };
}

it("answers a late request on an idle connection with Connection: close", async () => {
  const server = await serve();
  const client = await server.connect();
  client.sendRequest();
  (await server.next()).end("first");
  expect(await client.read("first")).toContain("Connection: keep-alive");

  const stopped = server.stop();
  await server.stopping;
  client.sendRequest();
  (await server.next()).end("second");
  expect(await client.read("second")).toContain("Connection: close");
  await client.closed;
  await stopped;
});

it("accepts one more request after a response that started before the stop", async () => {
  const server = await serve();
  const client = await server.connect();
  client.sendRequest();
  const response = await server.next();
  response.writeHead(200, { "Content-Length": 5 }).write("be");
  expect(await client.read("be")).toContain("Connection: keep-alive");

  const stopped = server.stop();
  await server.stopping;
  response.end("gun");
  await client.read("gun");
  client.sendRequest();
  (await server.next()).end("last");
  expect(await client.read("last")).toContain("Connection: close");
  await client.closed;
  await stopped;
});

it("answers all pipelined requests, the last one with Connection: close", async () => {
  const server = await serve();
  const client = await server.connect();
  client.sendRequest(2);
  const [first, second] = [await server.next(), await server.next()];
  const stopped = server.stop();
  await server.stopping;
  client.sendRequest();
  const third = await server.next();
  first.end("one.");
  second.end("two.");
  third.end("three.");
  const answers = (await client.read("three.")).split(/(?=HTTP\/1\.1 200)/);
  expect(answers.map((answer) => answer.includes("Connection: close"))).toEqual([false, false, true]);
  await client.closed;
  await stopped;
});

it("rejects new websockets while stopping, and does not wait for closed ones", async () => {
  const server = await serve();
  const forward = new DeploymentForwarder("http://127.0.0.1:1", log);
  server.onUpgrade((request, socket, head) => forward.upgrade(request, socket, head, guardsFor(null)));
  const client = await server.connect();
  client.sendRequest();
  (await server.next()).end("first");
  await client.read("first");
  const stopped = server.stop();
  await server.stopping;
  forward.goAway();
  client.send("GET /convex/api/1.48.0/sync HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
  expect(await client.read("\r\n\r\n")).toContain("503 Service Unavailable");
  await client.closed;
  await stopped;
});

it("stops without waiting for idle connections", async () => {
  const server = await serve();
  const [silent, used] = [await server.connect(), await server.connect()];
  used.sendRequest();
  (await server.next()).end("once");
  await used.read("once");
  await server.stop();
  expect(await Promise.all([silent.closed, used.closed])).toHaveLength(2);
});
