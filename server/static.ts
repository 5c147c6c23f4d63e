import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join, relative, sep } from "node:path";
import { acceptedEncoding } from "./compress.ts";
import type { Guards } from "./guards.ts";

type Asset = { type: string; cacheControl: string; etag: string; body: Buffer; br: Buffer | null; gzip: Buffer | null };

/** Answers a request for a file of the build; false: there is none of that name. */
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

/** What Vite writes into assets/ carries a hash in its name and never changes. */
const IMMUTABLE = "public, max-age=31536000, immutable";
const SHORT = "public, max-age=3600";

/**
 * The files of `dir` (build/client), held in memory: a name that is not among them cannot be reached, however it is spelled, and a build made
 * while the server runs does not mix with the one it serves. `*.br` and `*.gz` beside a file are what `npm run build` made of it.
 */
export async function loadAssets(dir: string): Promise<ServeAsset> {
  const paths = await filesIn(dir);
  const known = new Set(paths);
  const assets = new Map<string, Asset>();
  await Promise.all(
    paths
      .filter((path) => !/\.(?:br|gz)$/.test(path))
      .map(async (path) => {
        const sibling = (end: string) => (known.has(path + end) ? readFile(join(dir, path + end)) : null);
        const [body, br, gzip] = await Promise.all([readFile(join(dir, path)), sibling(".br"), sibling(".gz")]);
        const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
        const cacheControl = path.startsWith("assets/") ? IMMUTABLE : SHORT;
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
  const chosen = encoding === null ? null : asset[encoding];
  // The same file in another encoding is another representation: its tag differs (RFC 9110, 8.8.3.3).
  const etag = chosen ? asset.etag.replace(/"$/, `-${encoding}"`) : asset.etag;
  response.setHeader("Cache-Control", asset.cacheControl);
  response.setHeader("ETag", etag);
  for (const [name, value] of Object.entries(guards)) response.setHeader(name, value);
  if (asset.br || asset.gzip) response.setHeader("Vary", "Accept-Encoding");
  if (request.headers["if-none-match"]?.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag)) {
    response.writeHead(304).end();
    return;
  }
  const body = chosen ?? asset.body;
  if (chosen && encoding) response.setHeader("Content-Encoding", encoding);
  response.writeHead(200, { "Content-Type": asset.type, "Content-Length": body.length });
  response.end(request.method === "HEAD" ? undefined : body);
}

async function filesIn(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  // Vite's own manifest is for the build, not for strangers.
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(dir, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .filter((path) => !path.startsWith("."));
}
