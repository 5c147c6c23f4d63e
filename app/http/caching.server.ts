import type { MiddlewareFunction } from "react-router";
import { isPrefetch } from "remix-utils/is-prefetch";
import { mutable } from "./mutable";

/**
 * Pages belong to one visitor, so no cache keeps them, the browser's way back after signing out included. Data fetched ahead for a link is
 * kept for the moment until it is followed; `Vary` ends that when the visitor changes. Routes that say how they are cached are left alone.
 */
export const privateAnswers: MiddlewareFunction<Response> = async ({ request }, next) => {
  const response = mutable(await next());
  if (response.headers.has("Cache-Control")) return response;
  const ahead = request.method === "GET" && isPrefetch(request);
  response.headers.set("Cache-Control", ahead ? "private, max-age=10" : "private, no-store");
  response.headers.append("Vary", "Cookie");
  return response;
};
