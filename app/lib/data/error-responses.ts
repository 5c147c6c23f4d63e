import { data } from "react-router";
import { safeRedirect } from "remix-utils/safe-redirect";
import { RETRY_AFTER_SECONDS } from "~/lib/http/retry-after";
import { isConvexError, type Refusal, refusalOf as refusalOfFunction } from "#convex/model/errors";

export const DISK_FULL_TEXT = "The server's disk is full, so nothing was saved. Try again later.";

/** Over a websocket, a full disk is only recognizable by the code that the embedded deployment puts into the message. */
const DISK_FULL = /^\[CONVEX [MA]\(.*?\)\].*\bInsufficientStorage: /s;

export function refusalOf(error: unknown): Refusal | null {
  if (error instanceof Error && DISK_FULL.test(error.message)) return { code: "limit", message: DISK_FULL_TEXT };
  return refusalOfFunction(error);
}

/** Returns the local path of a redirect error (specification 8), or null. */
export function redirectOf(error: unknown): string | null {
  if (!isConvexError(error)) return null;
  const body = error.data;
  if (typeof body !== "object" || body === null || !("redirect" in body) || typeof body.redirect !== "string") return null;
  return safeRedirect(body.redirect, "") || null;
}

/** Returns whether a list refused the cursor, which an address can have from an earlier build or from another list. */
export function isInvalidCursor(error: unknown): boolean {
  const data: unknown = isConvexError(error) ? error.data : null;
  return typeof data === "object" && data !== null && "paginationError" in data && data.paginationError === "InvalidCursor";
}

export function notFoundResponse() {
  return data(null, { status: 404, statusText: "Not Found" });
}

export function diskFullResponse() {
  return data(null, { status: 507, statusText: "Insufficient Storage" });
}

export function unavailableResponse() {
  return data(null, { status: 503, statusText: "Service Unavailable", headers: { "Retry-After": String(RETRY_AFTER_SECONDS) } });
}
