import { data } from "react-router";
import { safeRedirect } from "remix-utils/safe-redirect";
import { RETRY_AFTER_SECONDS } from "~/http/retry-after";
import { isConvexError, refusalOf } from "#convex/errors";

export { refusalOf };

/**
 * Where a query or mutation sends its caller instead of answering (specification 8, "redirect errors"): a ConvexError with
 * `{ redirect: "/somewhere" }`. Only addresses of our own are followed; null when the error is none of these.
 */
export function redirectOf(error: unknown): string | null {
  if (!isConvexError(error)) return null;
  const told = error.data;
  if (typeof told !== "object" || told === null || !("redirect" in told) || typeof told.redirect !== "string") return null;
  return safeRedirect(told.redirect, "") || null;
}

/** The answer to a missing id, and to a foreign one: the two must not be told apart. */
export function notFoundResponse() {
  return data(null, { status: 404, statusText: "Not Found" });
}

/** The answer while the deployment does not answer. */
export function unavailableResponse() {
  return data(null, { status: 503, statusText: "Service Unavailable", headers: { "Retry-After": String(RETRY_AFTER_SECONDS) } });
}
