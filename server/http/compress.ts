import { once } from "node:events";
import { constants, createBrotliCompress, createGzip } from "node:zlib";

export type Encoding = "br" | "gzip";

export function acceptedEncoding(header: string | null | undefined): Encoding | null {
  if (!header) return null;
  const quality = new Map<string, number>();
  for (const part of header.toLowerCase().split(",")) {
    const [name = "", ...parameters] = part.split(";").map((text) => text.trim());
    const q = parameters.find((parameter) => parameter.startsWith("q="));
    quality.set(name, q ? Number(q.slice(2)) || 0 : 1);
  }
  const qualityOf = (name: string) => quality.get(name) ?? quality.get("*") ?? 0;
  if (qualityOf("br") > 0 && qualityOf("br") >= qualityOf("gzip")) return "br";
  return qualityOf("gzip") > 0 ? "gzip" : null;
}

const isText = (type: string) =>
  /^(?:text\/(?!event-stream)|application\/(?:[\w.+-]*\+)?(?:json|javascript|xml|manifest\+json)|image\/svg\+xml)/i.test(type);

const MIN_BYTES = 1024;

/** Compresses a response while it streams, so that React's output so far reaches the browser at once. */
export function compressResponse(request: Request, response: Response): Response {
  const { headers, body } = response;
  if (!isText(headers.get("Content-Type") ?? "") || headers.has("Content-Encoding")) return response;
  headers.append("Vary", "Accept-Encoding");
  const encoding = acceptedEncoding(request.headers.get("Accept-Encoding"));
  const length = headers.get("Content-Length");
  if (!encoding || !body || request.method === "HEAD" || response.status === 206 || (length && Number(length) < MIN_BYTES)) return response;
  if (headers.get("Cache-Control")?.includes("no-transform")) return response;
  const changed = new Headers(headers);
  changed.delete("Content-Length");
  changed.set("Content-Encoding", encoding);
  const etag = changed.get("ETag");
  if (etag && !etag.startsWith("W/")) changed.set("ETag", `W/${etag}`);
  return new Response(through(body, encoding), { status: response.status, statusText: response.statusText, headers: changed });
}

function compressor(encoding: Encoding) {
  if (encoding === "gzip") return createGzip({ level: 6 });
  return createBrotliCompress({
    params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT },
  });
}

function through(body: ReadableStream<Uint8Array>, encoding: Encoding): ReadableStream<Uint8Array> {
  const zlib = compressor(encoding);
  const source = body.getReader();
  return new ReadableStream({
    start(controller) {
      zlib.on("data", (chunk: Buffer) => {
        controller.enqueue(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength));
        if ((controller.desiredSize ?? 0) <= 0) zlib.pause();
      });
      zlib.once("end", () => controller.close());
      zlib.once("error", (error) => controller.error(error));
      feed(source, zlib).catch((error: unknown) => zlib.destroy(error instanceof Error ? error : new Error(String(error))));
    },
    pull() {
      zlib.resume();
    },
    async cancel(reason) {
      zlib.destroy();
      await source.cancel(reason);
    },
  });
}

async function feed(source: ReadableStreamDefaultReader<Uint8Array>, zlib: ReturnType<typeof compressor>): Promise<void> {
  let flush: NodeJS.Immediate | null = null;
  for (;;) {
    const { done, value } = await source.read();
    if (flush) clearImmediate(flush);
    if (done) break;
    if (!zlib.write(value)) await once(zlib, "drain");
    flush = setImmediate(() => zlib.flush());
  }
  zlib.end();
}
