import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";
import { queryObjects } from "node:v8";
import { expect, it } from "vitest";
import { fromStorage } from "./from-storage.server";

const CONTENT = Buffer.alloc(1_000_000, "a");

it("returns the whole body after its response was collected", { tags: "@body-of-collected-response" }, async () => {
  const server = createServer((_, response) => response.end(CONTENT)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port }: Partial<AddressInfo> = Object(server.address());
  const url = `http://127.0.0.1:${port}`;
  const bodies = await Promise.all(Array.from({ length: 5 }, () => bodyFrom(url)));
  for (let collection = 0; collection < 2; collection++) {
    collectGarbage();
    await setImmediate();
  }
  const sizes = bodies.map(async (body) => (await new Response(body).arrayBuffer()).byteLength);
  expect(await Promise.all(sizes)).toEqual(bodies.map(() => CONTENT.length));
  server.close();
});

async function bodyFrom(url: string): Promise<ReadableStream | null> {
  const { body } = await fromStorage({ convexUrl: url, browserConvex: { kind: "sameOrigin", prefix: "/convex" } }, url, {});
  return body;
}

/** Counting the objects of a class starts with a full garbage collection. */
const collectGarbage = () => queryObjects(Response, { format: "count" });
