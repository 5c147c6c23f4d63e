import type { MiddlewareFunction } from "react-router";

/** Adds Allow to a 405 (RFC 9110, 15.5.6): React Router sends none for a page without an action. */
export const allowedMethods: MiddlewareFunction<Response> = async (_, next) => {
  const response = await next();
  if (response.status === 405 && !response.headers.has("Allow")) response.headers.set("Allow", "GET, HEAD");
  return response;
};
