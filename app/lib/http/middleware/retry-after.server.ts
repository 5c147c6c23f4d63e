import type { MiddlewareFunction } from "react-router";
import { RETRY_AFTER_SECONDS } from "../retry-after";

/** Adds Retry-After to a 503 (RFC 9110, 10.2.3): React Router drops the headers of a thrown response. */
export const retryAfter: MiddlewareFunction<Response> = async (_, next) => {
  const response = await next();
  if (response.status === 503 && !response.headers.has("Retry-After")) response.headers.set("Retry-After", String(RETRY_AFTER_SECONDS));
  return response;
};
