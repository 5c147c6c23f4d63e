import type { Server } from "node:http";
import { connect } from "node:net";
import { Readable } from "node:stream";
import { afterEach, beforeEach, expect, it } from "vitest";
import { MemoryBudget } from "../memory/budget.ts";
import { createListener, listen } from "./listener.ts";

async function* failing() {
  yield Buffer.from("start");
  throw new Error("The source failed.");
}

let server: Server;
let port = 0;
beforeEach(async () => {
  server = createListener({
    handle: async ({ url }) => ({ status: 200, headers: {}, body: Readable.from(url === "/fails" ? failing() : [Buffer.from("start")]) }),
    headers: () => ({}),
    memory: new MemoryBudget(),
    clientAddress: () => null,
    report: () => undefined,
  });
  port = await listen(server, 0, "127.0.0.1");
});
afterEach(() => server.close());

async function get(path: string, version: string): Promise<{ text: string; error: string | null }> {
  const socket = connect(port, "127.0.0.1").setEncoding("latin1");
  let text = "";
  let error: string | null = null;
  socket.on("data", (data: string) => (text += data));
  socket.on("error", (failure: NodeJS.ErrnoException) => (error = failure.code ?? failure.message));
  socket.write(`GET ${path} HTTP/${version}\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  await new Promise((resolve) => socket.once("close", resolve));
  return { text, error };
}

it("resets the connection of an HTTP/1.0 client when a body fails", async () => {
  expect(await get("/fails", "1.0")).toMatchObject({ error: "ECONNRESET" });
});

it("ends a complete body to an HTTP/1.0 client without a reset", async () => {
  expect(await get("/complete", "1.0")).toEqual({ text: expect.stringMatching(/start$/), error: null });
});

it("omits the last chunk to an HTTP/1.1 client when a body fails", async () => {
  const { text } = await get("/fails", "1.1");
  expect(text).toContain("start");
  expect(text).not.toContain("\r\n0\r\n");
});
