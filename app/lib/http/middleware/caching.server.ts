import type { MiddlewareFunction } from "react-router";
import { isPrefetch } from "remix-utils/is-prefetch";
import { withMutableHeaders } from "../mutable-headers";

/** Disables caching of pages, also for the back button after a sign-out. Prefetched data is cached until the link is followed. */
export const privateResponses: MiddlewareFunction<Response> = async ({ request }, next) => {
  const response = withMutableHeaders(await next());
  if (response.headers.has("Cache-Control")) return response;
  const ahead = request.method === "GET" && isPrefetch(request);
  response.headers.set("Cache-Control", ahead ? "private, max-age=10" : "private, no-store");
  response.headers.append("Vary", "Cookie");
  return response;
};
