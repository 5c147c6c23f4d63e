/**
 * HTTP actions: a Node request becomes a web `Request`, the action's `Response` a reply. They answer for their own headers:
 * no CORS is added.
 */
import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import type { FunctionRunner } from "../functions/types.ts";
import type { Identity } from "../values/types.ts";
import { ACTION_BODY, readBody } from "./body.ts";
import type { Reply } from "./reply.ts";

/** Headers of one connection, which a `Request` or a reply must not pass on (RFC 9110, section 7.6.1). */
const HOP_BY_HOP = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "content-length",
]);

/** Runs the HTTP action that is routed at `path` (with its query string), which the request sees below `origin`. */
export async function runHttpAction(
  runner: FunctionRunner,
  request: IncomingMessage,
  { path, origin, identity }: { path: string; origin: string; identity: Identity },
): Promise<Reply> {
  const method = request.method ?? "GET";
  const headers = new Headers();
  for (let i = 0; i + 1 < request.rawHeaders.length; i += 2) {
    const name = request.rawHeaders[i] ?? "";
    if (!HOP_BY_HOP.has(name.toLowerCase())) headers.append(name, request.rawHeaders[i + 1] ?? "");
  }
  const body = method === "GET" || method === "HEAD" ? null : await readBody(request, ACTION_BODY);
  const response = await runner.httpAction(
    new Request(new URL(path, origin), { method, headers, body: body && body.length > 0 ? new Uint8Array(body) : null }),
    identity,
  );
  return toReply(response);
}

function toReply(response: Response): Reply {
  const headers: OutgoingHttpHeaders = {};
  for (const [name, value] of response.headers) if (!HOP_BY_HOP.has(name) && name !== "set-cookie") headers[name] = value;
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) headers["set-cookie"] = cookies;
  return { status: response.status, headers, body: response.body ? Readable.from(response.body) : null };
}
