import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import type { FunctionRunner } from "../functions/types.ts";
import type { Identity } from "../values/types.ts";
import { ACTION_BODY, readBody } from "./body.ts";
import { badRequest, RequestError } from "./errors.ts";
import type { Reply } from "./reply.ts";

/** Connection headers that must not be forwarded (RFC 9110, section 7.6.1). */
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

/** `ROUTABLE_HTTP_METHODS` in `convex/src/server/router.ts`, and HEAD. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"]);

export async function runHttpAction(
  runner: FunctionRunner,
  request: IncomingMessage,
  { path, origin, identity }: { path: string; origin: string; identity: Identity },
): Promise<Reply> {
  const method = request.method ?? "GET";
  if (!METHODS.has(method)) throw new RequestError(405, "MethodNotAllowed", `HTTP actions do not support the method ${method}.`);
  // As a relative URL, "//host/path" would replace the host.
  const url = path.startsWith("/") ? URL.parse(origin + path) : null;
  if (url === null) throw badRequest("The address is not valid.");
  const headers = new Headers();
  for (let i = 0; i + 1 < request.rawHeaders.length; i += 2) {
    const name = request.rawHeaders[i] ?? "";
    if (!HOP_BY_HOP.has(name.toLowerCase())) headers.append(name, request.rawHeaders[i + 1] ?? "");
  }
  const body = method === "GET" || method === "HEAD" ? null : await readBody(request, ACTION_BODY);
  const response = await runner.httpAction(
    new Request(url, { method, headers, body: body && body.length > 0 ? new Uint8Array(body) : null }),
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
