import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import { createRequestListener } from "@remix-run/node-fetch-server";
import { afterEach, beforeEach, expect, it } from "vitest";
import { resetIncomplete } from "./reset-incomplete.ts";

function body(fails: boolean): ReadableStream<Uint8Array> {
  let pulls = 0;
  return new ReadableStream(
    {
      pull(controller) {
        pulls += 1;
        if (pulls === 1) controller.enqueue(new TextEncoder().encode("start"));
        else if (fails) controller.error(new Error("The source failed."));
        else controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

const app = createRequestListener(async (request) => new Response(body(request.url.endsWith("/fails"))), { onError: () => undefined });
const server = createServer((request, response) => {
  resetIncomplete(request, response);
  app(request, response);
});
beforeEach(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
});
afterEach(() => server.close());

const portOf = (address: ReturnType<typeof server.address>): number => (address !== null && typeof address === "object" ? address.port : 0);

async function get(path: string, version: string): Promise<{ text: string; error: string | null }> {
  const socket = connect(portOf(server.address()), "127.0.0.1").setEncoding("latin1");
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
