import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import type { Server } from "node:http";
import { afterEach, expect, it } from "vitest";
import { createListener } from "../../../server/http/listener.ts";
import { log } from "../../../server/logging/log.ts";
import { unzip } from "../../../tests/zip.ts";
import { type Entry, zipResponse } from "./zip-response.server";
import type { ContentReader, Row } from "./content-reader.server";
import { OPENED_AHEAD } from "./open-ahead";
import { designEntries, projectEntries, selectionEntries } from "./archive-entries";

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

function counted(designs: Record<string, string[]>, size: number) {
  const count = { open: 0, mostOpen: 0, opened: 0, read: 0 };
  const row = (id: string, name: string): Row => ({ id, name, contentType: "image/png", createdAt: 1_700_000_000_000, size });
  async function* rows(of: Row[]) {
    yield* of;
  }
  const content: ContentReader = {
    projects: () => rows([]),
    designs: () => rows(Object.keys(designs).map((name) => row(name, name))),
    images: (designId) => rows((designs[designId] ?? []).map((name, place) => row(String(place), name))),
    chosenImages: (ids) => rows(ids.map((id) => row(id, "picture.png"))),
    chosenDesigns: (ids) => rows(ids.map((name) => row(name, name))),
    selected: () => rows([]),
    async original({ id: imageId }, signal) {
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
  return { content, count };
}

async function serve(answer: (request: Request) => Response): Promise<string> {
  const server = createListener({
    fetch: async (request) => answer(request),
    serveAsset: () => false,
    forward: null,
    origins: [],
    trustedProxyHops: 0,
    log,
  });
  servers.push(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return `http://127.0.0.1:${address.port}/`;
}

it("stores every picture byte for byte under a unique name", async () => {
  const { content } = counted({ Cover: ["a.png", "A.png", "../../b", "ü.png"], Empty: [], "Cover ": [] }, 100_000);
  const url = await serve((request) =>
    zipResponse(request, { name: 'Night "fall" / ü', userId: "ada", entries: (signal) => projectEntries(content, "p", signal) }),
  );
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

it(
  "reads one picture at a time at the client's speed and stops on disconnect",
  { tags: "@reads-picture-time-clients-speed-stops" },
  async () => {
    const { content, count } = counted({ Cover: Array.from({ length: 1000 }, (_, place) => `${place}.png`) }, 64 * MiB);
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    async function* entries(signal: AbortSignal) {
      try {
        yield* designEntries(content, "Cover", signal);
      } finally {
        end();
      }
    }
    const url = await serve((request) => zipResponse(request, { name: "x", userId: "ada", entries }));
    const [response] = (await once(get(url), "response")) as [IncomingMessage];
    await once(response, "readable");
    expect(response.read()).not.toBeNull();

    let before = -1;
    await expect.poll(() => before === (before = count.read) && before > 0, { interval: 300, timeout: 30_000 }).toBe(true);
    expect(count).toMatchObject({ opened: 1, open: 1 });
    expect(count.read).toBeLessThan(16 * MiB);

    response.destroy();
    await expect.poll(() => count.open).toBe(0);
    const { read } = count;
    await ended;
    expect(count).toMatchObject({ opened: 1, open: 0, read });
  },
);

const nameOf = (entry: Entry) => ("name" in entry ? String(entry.name) : "");

it("opens the next pictures while it waits for one", async () => {
  const { content } = counted({ Cover: Array.from({ length: 20 }, (_, place) => `${place}.png`) }, 100);
  const { promise: seven, resolve } = Promise.withResolvers<void>();
  let opened = 0;
  const slow: ContentReader = {
    ...content,
    async original(image, signal) {
      if (++opened === 7) resolve();
      if (image.id === "0") await seven;
      return content.original(image, signal);
    },
  };
  const names: string[] = [];
  for await (const entry of designEntries(slow, "Cover", new AbortController().signal)) names.push(nameOf(entry));
  expect(names).toEqual(Array.from({ length: 20 }, (_, place) => `${place}.png`));
});

it("opens a document of several pages once, and again after a page without a file", async () => {
  const { content } = counted({}, 100);
  const opened: string[] = [];
  const pages = ["1", "2", "3", "4"].map((id) => ({ id, name: "brief.pdf", contentType: "application/pdf", checksum: "c", createdAt: 1 }));
  const document: ContentReader = {
    ...content,
    async *images() {
      yield* pages;
    },
    async original({ id }) {
      opened.push(id);
      return id === "1" ? null : new Response("pdf", { headers: { "Content-Type": "application/pdf" } });
    },
  };
  const names: string[] = [];
  for await (const entry of designEntries(document, "d", new AbortController().signal)) names.push(nameOf(entry));
  expect([opened, names]).toEqual([["1", "2"], ["brief.pdf"]]);
});

it("closes the pictures that it opened ahead when the archive ends early", async () => {
  const { content, count } = counted({ Cover: Array.from({ length: 2 * OPENED_AHEAD }, (_, place) => `${place}.png`) }, CHUNK);
  const entries = designEntries(content, "Cover", new AbortController().signal);
  await entries.next();
  await expect.poll(() => count.open).toBeGreaterThanOrEqual(OPENED_AHEAD);
  await entries.return(undefined);
  await expect.poll(() => count.open).toBe(1);
});

it("opens a few pictures ahead, for any number of pictures", async () => {
  const { content, count } = counted({ Cover: Array.from({ length: 300 }, (_, place) => `${place % 7}.png`) }, CHUNK * 2);
  const url = await serve((request) =>
    zipResponse(request, { name: "x", userId: "ada", entries: (signal) => designEntries(content, "Cover", signal) }),
  );
  expect(unzip(await (await fetch(url)).bytes()).size).toBe(300);
  expect(count).toMatchObject({ open: 0, opened: 300, read: 300 * CHUNK * 2 });
  expect(count.mostOpen).toBeLessThanOrEqual(OPENED_AHEAD + 1);
});

it("stores the selection under unique names", async () => {
  const { content, count } = counted({ Cover: ["a.png"], Back: ["a.png", "b.png"] }, CHUNK);
  const filesOf = async (kind: "image" | "design", ids: string[]) => {
    const url = await serve((request) =>
      zipResponse(request, { name: "x", userId: "ada", entries: (signal) => selectionEntries(content, kind, ids, signal) }),
    );
    return [...unzip(await (await fetch(url)).bytes()).keys()];
  };
  expect(await filesOf("image", ["3", "1"])).toEqual(["picture.png", "picture (2).png"]);
  expect(await filesOf("design", ["Back", "Cover"])).toEqual(["Back/a.png", "Back/b.png", "Cover/a.png"]);
  expect(count).toMatchObject({ open: 0, opened: 5 });
});

it("aborts when a picture is unavailable, and skips deleted ones", async () => {
  const { content } = counted({ Cover: ["a.png", "b.png", "c.png"] }, 10);
  const without: ContentReader = {
    ...content,
    original: async (image, signal) => (image.id === "1" ? null : content.original(image, signal)),
  };
  const whole = await serve((request) =>
    zipResponse(request, { name: "x", userId: "ada", entries: (signal) => designEntries(without, "Cover", signal) }),
  );
  expect([...unzip(await (await fetch(whole)).bytes()).keys()]).toEqual(["a.png", "c.png"]);

  const broken: ContentReader = {
    ...content,
    original: async (image, signal) => (image.id === "1" ? new Response("no", { status: 500 }) : content.original(image, signal)),
  };
  const url = await serve((request) =>
    zipResponse(request, { name: "x", userId: "ada", entries: (signal) => designEntries(broken, "Cover", signal) }),
  );
  await expect(fetch(url).then((response) => response.bytes())).rejects.toBeInstanceOf(TypeError);
});

it("reads no picture for a HEAD request", async () => {
  const { content, count } = counted({ Cover: ["a.png"] }, 10);
  const url = await serve((request) =>
    zipResponse(request, { name: "x", userId: "ada", entries: (signal) => designEntries(content, "Cover", signal) }),
  );
  const response = await fetch(url, { method: "HEAD" });
  expect(response.headers.get("Content-Type")).toBe("application/zip");
  expect(count.opened).toBe(0);
});

it("answers 429 to a user's fourth download at the same time", { tags: "@answers-429-users-fourth-download-same" }, async () => {
  const { content } = counted({ Cover: ["a.png"] }, 64 * MiB);
  const url = await serve((request) => {
    const userId = new URL(request.url).searchParams.get("user") ?? "";
    return zipResponse(request, { name: "x", userId, entries: (signal) => designEntries(content, "Cover", signal) });
  });
  const download = async (userId: string) => {
    const stop = new AbortController();
    // Keeps a reference: fetch cancels the body of a garbage-collected response, which ends the download.
    const response = await fetch(`${url}?user=${userId}`, { signal: stop.signal });
    return { response, stop: () => stop.abort() };
  };
  const first = [await download("eve"), await download("eve"), await download("eve")];
  expect(first.map(({ response }) => response.status)).toEqual([200, 200, 200]);
  expect((await download("eve")).response.status).toBe(429);
  const other = await download("bob");
  expect(other.response.status).toBe(200);

  first[0]?.stop();
  await expect
    .poll(async () => {
      const next = await download("eve");
      next.stop();
      return next.response.status;
    })
    .toBe(200);
  for (const { stop } of [...first, other]) stop();
});

it("contains a PDF once per folder, however many of its pages are images", async () => {
  const page = (number: number, checksum: string): Row => ({
    id: `${checksum}${number}`,
    name: `${checksum} (page ${number}).pdf`,
    contentType: "application/pdf",
    checksum,
    createdAt: 0,
  });
  async function* images() {
    yield* [page(1, "brief"), page(2, "brief"), page(2, "plan"), page(3, "plan")];
  }
  const none = () => {
    throw new Error("not used");
  };
  const data: ContentReader = {
    projects: none,
    designs: none,
    chosenImages: none,
    chosenDesigns: none,
    selected: none,
    images,
    original: async ({ id }) => (id === "plan2" ? null : new Response("%PDF", { headers: { "Content-Type": "application/pdf" } })),
  };
  const names: string[] = [];
  for await (const entry of designEntries(data, "d1", new AbortController().signal)) names.push("name" in entry ? String(entry.name) : "");
  expect(names).toEqual(["brief.pdf", "plan.pdf"]);
});
