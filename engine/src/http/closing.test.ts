import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, expect, it } from "vitest";
import { MemoryBudget } from "../memory/budget.ts";
import { closeGracefully } from "./closing.ts";
import { createListener, listen } from "./listener.ts";

const left: Socket[] = [];
afterEach(() => {
  for (const socket of left.splice(0)) socket.destroy();
});

const PLAIN = { "Content-Type": "text/plain" };

async function keepAlive(lastCallMs: number, handle: () => Promise<string>) {
  const server = createListener({
    handle: async () => ({ status: 200, headers: PLAIN, body: await handle() }),
    headers: () => ({}),
    memory: new MemoryBudget(),
    clientAddress: () => null,
    report: () => undefined,
  });
  const close = closeGracefully(server, { lastCallMs });
  const socket = connect(await listen(server, 0, "127.0.0.1"), "127.0.0.1").setEncoding("utf8");
  left.push(socket);
  const closed = once(socket, "close");
  const sendRequest = () => socket.write("POST /api/query HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
  const read = async (end: string) => {
    let text = "";
    while (!text.includes(end)) text += (await once(socket, "data"))[0];
    return text;
  };
  sendRequest();
  expect(await read("answered")).toContain("Connection: keep-alive");
  return { close, sendRequest, read, closed };
}

it("answers a request already sent on an idle connection at shutdown", async () => {
  const { close, sendRequest, read, closed } = await keepAlive(500, async () => "answered");
  sendRequest();
  const ended = close(10_000);
  expect(await read("answered")).toContain("Connection: close");
  await closed;
  await ended;
});

it("finishes requests in flight, and aborts those that exceed the grace period", async () => {
  const gate = Promise.withResolvers<string>();
  const answers = [Promise.resolve("answered"), gate.promise, new Promise<string>(() => undefined)];
  let arrived = Promise.withResolvers<void>();
  const handle = () => {
    arrived.resolve();
    return answers.shift() ?? Promise.resolve("");
  };
  const sendAndReceive = async (sendRequest: () => void) => {
    arrived = Promise.withResolvers();
    sendRequest();
    await arrived.promise;
  };
  const patient = await keepAlive(0, handle);
  await sendAndReceive(patient.sendRequest);
  const ended = patient.close(10_000);
  gate.resolve("late but whole");
  expect(await patient.read("late but whole")).toContain("Connection: close");
  await ended;

  answers.unshift(Promise.resolve("answered"));
  const hanging = await keepAlive(0, handle);
  await sendAndReceive(hanging.sendRequest);
  await hanging.close(0);
  await hanging.closed;
});

it("does not wait for unused connections", async () => {
  const { close, closed } = await keepAlive(0, async () => "answered");
  await close(60_000);
  expect(await closed).toEqual([false]);
});
