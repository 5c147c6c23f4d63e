import { data } from "react-router";
import { safeRedirect } from "remix-utils/safe-redirect";
import { RETRY_AFTER_SECONDS } from "~/lib/http/retry-after";
import { isConvexError, refusalOf } from "#convex/model/errors";

export { refusalOf };

/** Returns the local path of a redirect error (specification 8), or null. */
export function redirectOf(error: unknown): string | null {
  if (!isConvexError(error)) return null;
  const body = error.data;
  if (typeof body !== "object" || body === null || !("redirect" in body) || typeof body.redirect !== "string") return null;
  return safeRedirect(body.redirect, "") || null;
}

/** Missing and inaccessible items get the same answer. */
export function notFoundResponse() {
  return data(null, { status: 404, statusText: "Not Found" });
}

export function diskFullResponse() {
  return data(null, { status: 507, statusText: "Insufficient Storage" });
}

export function unavailableResponse() {
  return data(null, { status: 503, statusText: "Service Unavailable", headers: { "Retry-After": String(RETRY_AFTER_SECONDS) } });
}
