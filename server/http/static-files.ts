import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join, relative, sep } from "node:path";
import { acceptedEncoding } from "./compress.ts";
import type { Guards } from "./guards.ts";

type Asset = { type: string; cacheControl: string; etag: string; body: Buffer; br: Buffer | null; gzip: Buffer | null };

export type ServeAsset = (request: IncomingMessage, response: ServerResponse, path: string, guards: Guards) => boolean;

const TYPES: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json; charset=utf-8",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
};

const IMMUTABLE = "public, max-age=31536000, immutable";
const SHORT = "public, max-age=3600";

/** Serves `dir` from memory: no other path is reachable, and a new build does not mix with the running one. */
export async function loadAssets(dir: string): Promise<ServeAsset> {
  const paths = await filesIn(dir);
  const existingPaths = new Set(paths);
  const assets = new Map<string, Asset>();
  await Promise.all(
    paths
      .filter((path) => !/\.(?:br|gz)$/.test(path))
      .map(async (path) => {
        const sibling = (end: string) => (existingPaths.has(path + end) ? readFile(join(dir, path + end)) : null);
        const [body, br, gzip] = await Promise.all([readFile(join(dir, path)), sibling(".br"), sibling(".gz")]);
        const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
        const lifetime = path.startsWith("assets/") ? IMMUTABLE : SHORT;
        const cacheControl = path.endsWith(".html") ? `${lifetime}, no-transform` : lifetime;
        assets.set(`/${path}`, { type: TYPES[extname(path)] ?? "application/octet-stream", cacheControl, etag, body, br, gzip });
      }),
  );
  return (request, response, path, guards) => {
    const asset = assets.get(path);
    if (!asset || (request.method !== "GET" && request.method !== "HEAD")) return false;
    send(asset, request, response, guards);
    return true;
  };
}

function send(asset: Asset, request: IncomingMessage, response: ServerResponse, guards: Guards): void {
  const encoding = acceptedEncoding(request.headers["accept-encoding"]?.toString());
  const compressed = encoding === null ? null : asset[encoding];
  // Each encoding needs its own tag (RFC 9110, 8.8.3.3).
  const etag = compressed ? asset.etag.replace(/"$/, `-${encoding}"`) : asset.etag;
  response.setHeader("Cache-Control", asset.cacheControl);
  response.setHeader("ETag", etag);
  for (const [name, value] of Object.entries(guards)) response.setHeader(name, value);
  if (asset.br || asset.gzip) response.setHeader("Vary", "Accept-Encoding");
  if (request.headers["if-none-match"]?.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag)) {
    response.writeHead(304).end();
    return;
  }
  const body = compressed ?? asset.body;
  if (compressed && encoding) response.setHeader("Content-Encoding", encoding);
  response.writeHead(200, { "Content-Type": asset.type, "Content-Length": body.length });
  response.end(request.method === "HEAD" ? undefined : body);
}

async function filesIn(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(dir, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .filter((path) => !path.startsWith("."));
}
