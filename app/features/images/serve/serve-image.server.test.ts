import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RouterContextProvider } from "react-router";
import sharp from "sharp";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { STORED_MS } from "./access-cache.server";
import { contentReader } from "~/features/downloads/content-reader.server";
import { configContext } from "~/lib/http/context";
import { testConfig } from "~/lib/http/testing";
import type { rotateFile } from "../codecs/rotate-file.server";
import { cacheReduced } from "../codecs/reduced-jpeg.server";
import { serveImage } from "./serve-image.server";

const visitor = { userId: "ada", sessionId: "s" };
const query = vi.hoisted(() => vi.fn<(reference?: unknown, args?: { sessionId: string }) => Promise<unknown>>());
const encoded = vi.hoisted(() => vi.fn<() => void>());
vi.mock("~/features/accounts/session/convex/service-client.server", () => ({ serviceConvex: () => ({ query }) }));
vi.mock("~/features/accounts/session/session.server", () => ({ getVisitor: async () => ({ ...visitor }) }));
vi.mock("../codecs/rotate-file.server", async (importOriginal) => {
  const original = await importOriginal<{ rotateFile: typeof rotateFile }>();
  const counting: typeof rotateFile = (...request) => {
    encoded();
    return original.rotateFile(...request);
  };
  return { ...original, rotateFile: counting };
});

let config = testConfig;
const stored = new Map<string, Buffer>();

beforeEach(async () => {
  config = { ...testConfig, dataDir: await mkdtemp(join(tmpdir(), "rotated-")) };
  encoded.mockClear();
  vi.stubGlobal("fetch", async (url: string, { signal }: RequestInit) => {
    signal?.throwIfAborted();
    return new Response(new Uint8Array(stored.get(url) ?? []));
  });
});

afterEach(async () => {
  vi.unstubAllGlobals();
  await rm(config.dataDir, { recursive: true });
});

async function store(format: "png" | "jpeg", rotation = 0, background = "#f00"): Promise<void> {
  stored.set(
    format,
    await sharp({ create: { width: 6, height: 4, channels: 3, background } })
      .toFormat(format)
      .toBuffer(),
  );
  const image = { contentType: `image/${format}`, checksum: format, name: "a", size: 1, width: 6, height: 4, rotation };
  query.mockResolvedValue({ ...image, storageUrl: format });
}

function sendRequest(init: RequestInit = {}, search = "original=1&turn=90"): Promise<Response> {
  const context = new RouterContextProvider();
  context.set(configContext, config);
  return serveImage(new Request(`https://atelier.example/images/i?${search}`, init), "i", context);
}

it("encodes a rotated file once, and not for HEAD", async () => {
  await store("png");
  const head = await sendRequest({ method: "HEAD" });
  expect([head.headers.get("Content-Type"), head.headers.get("Content-Length")]).toEqual(["image/png", null]);
  expect(encoded).not.toHaveBeenCalled();
  for (let request = 0; request < 2; request++) {
    const response = await sendRequest();
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(response.headers.get("Content-Length")).toBe(String(bytes.length));
    expect(response.headers.get("ETag")).toBe(head.headers.get("ETag"));
    expect(await sharp(bytes).metadata()).toMatchObject({ format: "png", width: 4, height: 6 });
  }
  expect(encoded).toHaveBeenCalledOnce();
});

it("does not read a JPEG for a request that ended", async () => {
  await store("jpeg");
  expect((await sendRequest({ signal: AbortSignal.abort() })).status).toBe(503);
  expect(encoded).not.toHaveBeenCalled();
  expect((await sendRequest()).status).toBe(200);
});

it("makes the first thumbnail of an uploaded JPEG without reading the stored file", async () => {
  const { data, info } = await sharp({ create: { width: 500, height: 375, channels: 3, background: "#f00" } })
    .raw()
    .toBuffer({ resolveWithObject: true });
  cacheReduced("uploaded", { data, info });
  const facts = { contentType: "image/jpeg", checksum: "uploaded", name: "a", size: 1, width: 4000, height: 3000 };
  query.mockResolvedValue({ ...facts, storageUrl: "missing" });
  const response = await sendRequest({}, "w=480");
  expect(await sharp(await response.arrayBuffer()).metadata()).toMatchObject({ width: 480, height: 360 });
});

it("rotates a replaced file according to the new file's type and rotation", async () => {
  await store("jpeg");
  expect((await sendRequest({ method: "HEAD" })).headers.get("Content-Type")).toBe("image/jpeg");
  await store("png", 90);
  const response = await sendRequest();
  expect([response.headers.get("Content-Type"), response.headers.get("ETag")]).toEqual(["image/png", '"png-turn90"']);
  const listed = { id: "i", name: "a", contentType: "image/jpeg", rotation: 180 };
  const archived = await contentReader(visitor, config).original(listed, AbortSignal.timeout(60_000));
  expect(archived?.headers.get("Content-Type")).toBe("image/png");
  const sizes = await Promise.all([response, archived].map(async (each) => sharp(await each?.arrayBuffer()).metadata()));
  for (const each of sizes) expect(each).toMatchObject({ format: "png", width: 4, height: 6 });
});

function passStored(): void {
  const now = Date.now() + STORED_MS;
  vi.spyOn(Date, "now").mockReturnValue(now);
}

it("does not return another image's file to a request for the same variant", async () => {
  await store("png");
  const old = await query();
  for (visitor.sessionId of ["bob", "ada"]) await sendRequest({ method: "HEAD" });
  await store("jpeg", 0, "#00f");
  passStored();
  const current = await query();
  query.mockImplementation(async (_, { sessionId } = { sessionId: "" }) => (sessionId === "ada" ? current : old));
  const answers = ["ada", "bob"].map((session) => {
    visitor.sessionId = session;
    return sendRequest({}, "w=160");
  });
  const tags = (await Promise.all(answers)).map(({ headers }) => headers.get("ETag"));
  expect(tags).toEqual([expect.stringContaining("jpeg"), expect.stringContaining("png")]);
});

it("caches no variant of a new file under the replaced file's checksum", async () => {
  await store("jpeg");
  await sendRequest({ method: "HEAD" });
  await store("png", 0, "#00f");
  passStored();
  const strongest = async () => {
    const means = (await sharp(await (await sendRequest({}, "w=160")).arrayBuffer()).stats()).channels.map(({ mean }) => mean);
    return means.indexOf(Math.max(...means.slice(0, 3)));
  };
  expect(await strongest()).toBe(2);
  await store("jpeg");
  visitor.sessionId = "another grant";
  expect(await strongest()).toBe(0);
});

it.each(["original=1", "w=160"])("answers ?%s with the ETag and type of the file that replaced the listed one", async (search) => {
  const headersOf = ({ headers }: Response) => [headers.get("ETag"), headers.get("Content-Type"), headers.get("Content-Disposition")];
  await store("png");
  const old = await sendRequest({ method: "HEAD" });
  await store("jpeg", 0, "#00f");
  passStored();
  const response = await sendRequest({ headers: { Range: "bytes=1-", "If-Range": old.headers.get("ETag") ?? "" } }, search);
  const bytes = Buffer.from(await response.arrayBuffer());
  expect((await sharp(bytes).metadata()).format).toBe(search === "w=160" ? "webp" : "jpeg");
  const [tag, type] = headersOf(response);
  expect([tag?.includes("jpeg"), type]).toEqual([true, search === "w=160" ? "image/webp" : "image/jpeg"]);
  expect(headersOf(await sendRequest({ method: "HEAD" }, search))).toEqual(headersOf(response));
});
