import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import type { Server } from "node:http";
import { afterEach, expect, it } from "vitest";
import { createListener } from "../../server/listener.ts";
import { log } from "../../server/log.ts";
import { unzip } from "../../tests/zip.ts";
import { zipResponse } from "./archive.server";
import type { Belongings, Row } from "./belongings.server";
import { designEntries, projectEntries, selectionEntries } from "./contents";

/** Archives as they leave the real HTTP server, of pictures that are counted while they are read. */
log.level = "silent";

const MiB = 1024 ** 2;
const CHUNK = 64 * 1024;

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Somebody's designs, each with its images' names; every picture is `size` bytes of the number of its place. */
function counted(designs: Record<string, string[]>, size: number) {
  const count = { open: 0, mostOpen: 0, opened: 0, read: 0 };
  const row = (id: string, name: string): Row => ({ id, name, contentType: "image/png", createdAt: 1_700_000_000_000 });
  async function* rows(of: Row[]) {
    yield* of;
  }
  const belongings: Belongings = {
    projects: () => rows([]),
    designs: () => rows(Object.keys(designs).map((name) => row(name, name))),
    images: (designId) => rows((designs[designId] ?? []).map((name, place) => row(String(place), name))),
    chosenImages: (ids) => rows(ids.map((id) => row(id, "picture.png"))),
    chosenDesigns: (ids) => rows(ids.map((name) => row(name, name))),
    async original(imageId, signal) {
      count.opened += 1;
      count.open += 1;
      count.mostOpen = Math.max(count.open, count.mostOpen);
      let left = size;
      let isOpen = true;
      const close = () => {
        if (isOpen) count.open -= 1;
        isOpen = false;
      };
      return new Response(
        new ReadableStream(
          {
            start(controller) {
              signal.addEventListener("abort", () => {
                if (isOpen) controller.error(signal.reason);
                close();
              });
            },
            pull(controller) {
              const bytes = Math.min(CHUNK, left);
              left -= bytes;
              count.read += bytes;
              if (bytes > 0) controller.enqueue(new Uint8Array(bytes).fill(Number(imageId)));
              if (left > 0) return;
              close();
              controller.close();
            },
            cancel: close,
          },
          { highWaterMark: 0 },
        ),
      );
    },
  };
  return { belongings, count };
}

async function serve(answer: (request: Request) => Response): Promise<string> {
  const server = createListener({
    fetch: async (request) => answer(request),
    serveAsset: () => false,
    forward: null,
    appUrl: null,
    trustedProxyHops: 0,
    log,
  });
  servers.push(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return `http://127.0.0.1:${address.port}/`;
}

it("holds every picture, byte for byte, under a name of its own", async () => {
  const { belongings } = counted({ Cover: ["a.png", "A.png", "../../b", "ü.png"], Empty: [], "Cover ": [] }, 100_000);
  const url = await serve((request) => zipResponse(request, 'Night "fall" / ü', (signal) => projectEntries(belongings, "p", signal)));
  const response = await fetch(url);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": "application/zip",
    "content-disposition": `attachment; filename="Night -fall- - _.zip"; filename*=UTF-8''Night%20-fall-%20-%20%C3%BC.zip`,
    "cache-control": "private, no-store",
    "x-content-type-options": "nosniff",
  });
  const files = unzip(await response.bytes());
  expect([...files.keys()]).toEqual(["Cover/a.png", "Cover/A (2).png", "Cover/-..-b.png", "Cover/ü.png", "Empty/", "Cover (2)/"]);
  expect([...files.values()].slice(0, 4)).toEqual([0, 1, 2, 3].map((place) => Buffer.alloc(100_000, place)));
});

it("is read no faster than it is taken, one picture at a time, and lets go when the client goes away", async () => {
  const { belongings, count } = counted({ Cover: Array.from({ length: 1000 }, (_, place) => `${place}.png`) }, 64 * MiB);
  const url = await serve((request) => zipResponse(request, "x", (signal) => designEntries(belongings, "Cover", signal)));
  const [response] = (await once(get(url), "response")) as [IncomingMessage];
  await once(response, "readable");
  expect(response.read()).not.toBeNull();

  // Until the lines between are full: what this client does not take, nobody reads.
  let before = -1;
  await expect.poll(() => before === (before = count.read) && before > 0, { interval: 300, timeout: 30_000 }).toBe(true);
  expect(count).toMatchObject({ opened: 1, open: 1 });
  expect(count.read).toBeLessThan(16 * MiB);

  response.destroy();
  await expect.poll(() => count.open).toBe(0);
  const { read } = count;
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(count).toMatchObject({ opened: 1, read });
});

it("has never more than one picture open, however many there are", async () => {
  const { belongings, count } = counted({ Cover: Array.from({ length: 300 }, (_, place) => `${place % 7}.png`) }, CHUNK * 2);
  const url = await serve((request) => zipResponse(request, "x", (signal) => designEntries(belongings, "Cover", signal)));
  expect(unzip(await (await fetch(url)).bytes()).size).toBe(300);
  expect(count).toEqual({ open: 0, mostOpen: 1, opened: 300, read: 300 * CHUNK * 2 });
});

it("holds what was chosen, each under a name of its own, one picture open at a time", async () => {
  const { belongings, count } = counted({ Cover: ["a.png"], Back: ["a.png", "b.png"] }, CHUNK);
  const filesOf = async (kind: "image" | "design", ids: string[]) => {
    const url = await serve((request) => zipResponse(request, "x", (signal) => selectionEntries(belongings, kind, ids, signal)));
    return [...unzip(await (await fetch(url)).bytes()).keys()];
  };
  expect(await filesOf("image", ["3", "1"])).toEqual(["picture.png", "picture (2).png"]);
  expect(await filesOf("design", ["Back", "Cover"])).toEqual(["Back/a.png", "Back/b.png", "Cover/a.png"]);
  expect(count).toMatchObject({ mostOpen: 1, opened: 5 });
});

it("breaks off when a picture cannot be had, and leaves out what is gone", async () => {
  const { belongings } = counted({ Cover: ["a.png", "b.png", "c.png"] }, 10);
  const without: Belongings = {
    ...belongings,
    original: async (id, signal) => (id === "1" ? null : belongings.original(id, signal)),
  };
  const whole = await serve((request) => zipResponse(request, "x", (signal) => designEntries(without, "Cover", signal)));
  expect([...unzip(await (await fetch(whole)).bytes()).keys()]).toEqual(["a.png", "c.png"]);

  const broken: Belongings = {
    ...belongings,
    original: async (id, signal) => (id === "1" ? new Response("no", { status: 500 }) : belongings.original(id, signal)),
  };
  const url = await serve((request) => zipResponse(request, "x", (signal) => designEntries(broken, "Cover", signal)));
  await expect(fetch(url).then((response) => response.bytes())).rejects.toBeInstanceOf(TypeError);
});

it("reads nothing for who asks only about it", async () => {
  const { belongings, count } = counted({ Cover: ["a.png"] }, 10);
  const url = await serve((request) => zipResponse(request, "x", (signal) => designEntries(belongings, "Cover", signal)));
  const response = await fetch(url, { method: "HEAD" });
  expect(response.headers.get("Content-Type")).toBe("application/zip");
  expect(count.opened).toBe(0);
});
