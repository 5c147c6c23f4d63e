import { once } from "node:events";
import { request } from "node:http";
import { expect, it } from "vitest";
import { MemoryBudget } from "../memory/budget.ts";
import { createListener, listen } from "./listener.ts";
import { empty } from "./reply.ts";
import { keepForRequest } from "./request-memory.ts";

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
