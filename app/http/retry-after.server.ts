import type { MiddlewareFunction } from "react-router";
import { RETRY_AFTER_SECONDS } from "./retry-after";

/**
 * A 503 says when to ask again (RFC 9110, 10.2.3). Set here for all of them, since React Router does not pass the headers of what a loader
 * throws on to the page that its boundary renders.
 */
export const retryAfter: MiddlewareFunction<Response> = async (_, next) => {
  const response = await next();
  if (response.status === 503 && !response.headers.has("Retry-After")) response.headers.set("Retry-After", String(RETRY_AFTER_SECONDS));
  return response;
};
