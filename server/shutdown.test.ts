import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { afterEach, expect, it } from "vitest";
import { Forward } from "./forward.ts";
import { guardsFor } from "./guards.ts";
import { log } from "./log.ts";
import { stoppable } from "./shutdown.ts";

log.level = "silent";

const left: Socket[] = [];
afterEach(() => {
  for (const socket of left.splice(0)) socket.destroy();
});

/** A server that hands each request's response to the test, and is being stopped when `stop` has been called. */
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
    onUpgrade: (take: (request: IncomingMessage, socket: Duplex, head: Buffer) => void) => server.on("upgrade", take),
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
        ask: (times = 1) => socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(times)),
        send: (text: string) => socket.write(text),
        /** What has been read up to `end`. */
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

it("answers what was on its way on a kept connection when it was told to stop, and says there that it ends", async () => {
  const server = await serve();
  const client = await server.connect();
  client.ask();
  (await server.next()).end("first");
  expect(await client.read("first")).toContain("Connection: keep-alive");

  const stopped = server.stop();
  await server.stopping;
  client.ask();
  (await server.next()).end("second");
  expect(await client.read("second")).toContain("Connection: close");
  await client.closed;
  await stopped;
});

it("takes one more request on a connection whose answer had begun before it was told to stop", async () => {
  const server = await serve();
  const client = await server.connect();
  client.ask();
  const response = await server.next();
  response.writeHead(200, { "Content-Length": 5 }).write("be");
  expect(await client.read("be")).toContain("Connection: keep-alive");

  const stopped = server.stop();
  await server.stopping;
  response.end("gun");
  await client.read("gun");
  client.ask();
  (await server.next()).end("last");
  expect(await client.read("last")).toContain("Connection: close");
  await client.closed;
  await stopped;
});

it("says in the last of several requests on one connection that it ends, and answers all of them", async () => {
  const server = await serve();
  const client = await server.connect();
  client.ask(2);
  const [first, second] = [await server.next(), await server.next()];
  const stopped = server.stop();
  await server.stopping;
  client.ask();
  const third = await server.next();
  first.end("one.");
  second.end("two.");
  third.end("three.");
  const answers = (await client.read("three.")).split(/(?=HTTP\/1\.1 200)/);
  expect(answers.map((answer) => answer.includes("Connection: close"))).toEqual([false, false, true]);
  await client.closed;
  await stopped;
});

it("takes no websocket on a connection that it still keeps, and does not wait for those it has let go of", async () => {
  const server = await serve();
  const forward = new Forward("http://127.0.0.1:1", log);
  server.onUpgrade((request, socket, head) => forward.upgrade(request, socket, head, guardsFor(null)));
  const client = await server.connect();
  client.ask();
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

it("stops without waiting for connections on which nothing is asked", async () => {
  const server = await serve();
  const [silent, used] = [await server.connect(), await server.connect()];
  used.ask();
  (await server.next()).end("once");
  await used.read("once");
  await server.stop();
  expect(await Promise.all([silent.closed, used.closed])).toHaveLength(2);
});
