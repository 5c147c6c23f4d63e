import { once } from "node:events";
import { createServer } from "node:http";
import { createRequestListener } from "@remix-run/node-fetch-server";
import { expect, it } from "vitest";
import { discardUnread } from "./unread.ts";

it("hears the next request of a connection whose last one was answered unread", async () => {
  // Late enough for the body to have begun to arrive, and to be held back because nobody reads it.
  const app = createRequestListener(async () => {
    await new Promise((resolve) => setTimeout(resolve, 30));
    return new Response("no", { status: 404 });
  });
  const server = createServer((request, response) => {
    discardUnread(request, response);
    app(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const url = `http://127.0.0.1:${address && typeof address === "object" ? address.port : 0}/`;
  for (let time = 0; time < 5; time++) {
    const answer = await fetch(url, { method: "POST", body: Buffer.alloc(432_000), signal: AbortSignal.timeout(2000) });
    expect([answer.status, await answer.text()]).toEqual([404, "no"]);
  }
  server.closeAllConnections();
  server.close();
});
