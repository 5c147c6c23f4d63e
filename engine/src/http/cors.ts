/** CORS of the deployment's API, not of HTTP actions: as on Convex any origin may call it, because tokens protect the data. */
import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { empty, type Reply } from "./reply.ts";

const ONE_DAY_S = 86_400;

export function corsHeaders(request: IncomingMessage): OutgoingHttpHeaders {
  const origin = request.headers.origin;
  if (origin === undefined) return {};
  return { "Access-Control-Allow-Origin": origin, "Access-Control-Allow-Credentials": "true", Vary: "Origin" };
}

export function preflight(request: IncomingMessage): Reply {
  const headers: OutgoingHttpHeaders = {
    ...corsHeaders(request),
    "Access-Control-Allow-Methods": "GET, POST, PUT, PATCH, DELETE, OPTIONS, HEAD",
    "Access-Control-Max-Age": ONE_DAY_S,
    Vary: "Origin, Access-Control-Request-Headers",
  };
  const requestedHeaders = request.headers["access-control-request-headers"];
  if (requestedHeaders !== undefined) headers["Access-Control-Allow-Headers"] = requestedHeaders;
  return empty(200, headers);
}
