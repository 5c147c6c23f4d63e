import { once } from "node:events";
import { IncomingMessage, request, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { expect, it } from "vitest";
import { MemoryBudget } from "../memory/budget.ts";
import { createListener, listen } from "./listener.ts";
import { empty } from "./reply.ts";
import { countRequest, keepForRequest } from "./request-memory.ts";

it("counts a request after its client disconnects until its function ends", async () => {
  const memory = new MemoryBudget();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const server = createListener({
    handle: async (incoming) => {
      keepForRequest(incoming, 1000);
      incoming.socket.once("close", begin);
      await ended;
      return empty();
    },
    headers: () => ({}),
    memory,
    clientAddress: () => "192.0.2.1",
    report: () => undefined,
  });
  const port = await listen(server, 0, "127.0.0.1");
  const client = request({ port, host: "127.0.0.1" }).on("error", () => undefined);
  client.end();
  await expect.poll(() => memory.total).toBe(1000);
  client.destroy();
  await begun;
  expect(memory.total).toBe(1000);
  end();
  await expect.poll(() => memory.total).toBe(0);
  server.close();
  await once(server, "close");
});

it("frees a refused request's bytes at once, so that others can finish", { tags: "@refused-request-frees-memory" }, () => {
  const memory = new MemoryBudget();
  const half = memory.open("192.0.2.1").limit / 2;
  const [first, second] = [1, 2].map(() => {
    const incoming = new IncomingMessage(new Socket());
    countRequest(incoming, new ServerResponse(incoming), memory.open("192.0.2.1"));
    return incoming;
  });
  if (!first || !second) throw new Error("two requests");
  keepForRequest(first, half);
  expect(() => keepForRequest(second, half * 2)).toThrow("Too much memory");
  keepForRequest(first, half * 2);
  expect(memory.total).toBe(half * 2);
});
