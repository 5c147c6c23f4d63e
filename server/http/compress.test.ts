import { randomBytes } from "node:crypto";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { acceptedEncoding, compressResponse } from "./compress.ts";

const page = "<p>The pictures are lit, the walls are not.</p>".repeat(100);
const sendRequest = (accept?: string, method = "GET") =>
  new Request("http://localhost/", { method, headers: accept ? { "Accept-Encoding": accept } : {} });
const html = (body: BodyInit | null = page, init?: ResponseInit) =>
  new Response(body, {
    ...init,
    headers: { "Content-Type": "text/html; charset=utf-8", ...Object.fromEntries(new Headers(init?.headers)) },
  });
const bytes = async (response: Response) => Buffer.from(await response.arrayBuffer());

describe("compressed", () => {
  it.each([
    ["br, gzip", "br", brotliDecompressSync],
    ["gzip", "gzip", gunzipSync],
    ["gzip, br;q=0.5", "gzip", gunzipSync],
    ["*", "br", brotliDecompressSync],
  ] as const)("for Accept-Encoding '%s' is %s", async (accept, encoding, decompress) => {
    const response = compressResponse(sendRequest(accept), html(page, { headers: { "Content-Length": String(page.length) } }));
    expect(response.headers.get("Content-Encoding")).toBe(encoding);
    expect(response.headers.get("Vary")).toContain("Accept-Encoding");
    expect(response.headers.has("Content-Length")).toBe(false);
    const body = await bytes(response);
    expect(body.length).toBeLessThan(page.length / 5);
    expect(decompress(body).toString()).toBe(page);
  });

  it.each([
    ["who takes none", sendRequest(), html()],
    ["who refuses", sendRequest("br;q=0, gzip;q=0"), html()],
    ["a picture", sendRequest("br"), new Response(page, { headers: { "Content-Type": "image/avif" } })],
    ["what is encoded already", sendRequest("br"), html(page, { headers: { "Content-Encoding": "gzip" } })],
    ["what must not be changed", sendRequest("br"), html(page, { headers: { "Cache-Control": "no-transform" } })],
    ["a part", sendRequest("br"), html(page, { status: 206 })],
    ["nothing", sendRequest("br"), html(null, { status: 304 })],
    ["a few bytes", sendRequest("br"), html("ok", { headers: { "Content-Length": "2" } })],
  ])("does not compress %s", (_what, request, response) => {
    expect(compressResponse(request, response)).toBe(response);
  });

  it("flushes data before later data is written", async () => {
    let write = (_text: string) => {};
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        write = (text) => controller.enqueue(new TextEncoder().encode(text));
      },
    });
    const reader = compressResponse(sendRequest("gzip"), html(body)).body?.getReader();
    write("the shell");
    let seen = Buffer.alloc(0);
    while (seen.length < 20) seen = Buffer.concat([seen, (await reader?.read())?.value ?? Buffer.alloc(0)]);
    expect(gunzipSync(seen, { finishFlush: 2 }).toString()).toBe("the shell");
    await reader?.cancel();
  });

  it("fails as its source fails", async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error("broken off")) });
    await expect(bytes(compressResponse(sendRequest("br"), html(body)))).rejects.toThrow("broken off");
  });

  it("streams a large body with backpressure", async () => {
    const chunk = randomBytes(64 * 1024);
    const large = () => {
      const counts = { sent: 0 };
      const body = new ReadableStream({
        pull(controller) {
          controller.enqueue(chunk);
          if (++counts.sent === 200) controller.close();
        },
      });
      const reader = compressResponse(sendRequest("gzip"), html(body)).body?.getReader();
      return { counts, next: () => reader?.read() };
    };
    const [slow, fast] = [large(), large()];
    await slow.next();
    while (!(await fast.next())?.done);
    expect([fast.counts.sent, slow.counts.sent < 150]).toEqual([200, true]);
    while (!(await slow.next())?.done);
    expect(slow.counts.sent).toBe(200);
  });
});

describe("acceptedEncoding", () => {
  it("is null for an unknown or malformed header", () => {
    expect(acceptedEncoding("identity;q=1, deflate")).toBeNull();
    expect(acceptedEncoding(";;;,=q")).toBeNull();
  });
});
