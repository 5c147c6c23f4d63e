import { isRouteErrorResponse } from "react-router";
import { refusalOf } from "~/lib/data/error-responses";

export function isNotFound(error: unknown): boolean {
  if (isRouteErrorResponse(error)) return error.status === 404;
  return refusalOf(error)?.code === "not_found";
}

const UNAVAILABLE = [502, 503, 504];

function isUnavailable(error: unknown): boolean {
  return isRouteErrorResponse(error) && UNAVAILABLE.includes(error.status);
}

function isNetworkError(error: unknown): boolean {
  return error instanceof TypeError && /fetch|network|load failed/i.test(error.message);
}

export const isUnreachable = (error: unknown) => isUnavailable(error) || isNetworkError(error);

export const isRateLimited = (error: unknown) => isRouteErrorResponse(error) && error.status === 429;

export function passingText(error: unknown): string | null {
  if (isUnavailable(error)) return "Your saved work is safe. Reconnecting automatically.";
  if (isNetworkError(error)) return "Reconnecting automatically.";
  return null;
}

/** Returns the text for a form rejected before its action ran (`app/lib/http/forms/form.server.ts`); null for other faults. */
export function refusedFormText(error: unknown): string | null {
  const status = isRouteErrorResponse(error) ? error.status : 0;
  if (status === 413) return "The form is too large, so nothing was saved. Go back and shorten it.";
  if (status === 507) return "The server's disk is full, so not everything was saved. Try again later.";
  if (status === 429) return "Too many attempts. Nothing was changed. Wait a moment, then go back and try again.";
  if (status !== 400 && status !== 415) return null;
  return "The form could not be read, so nothing was saved. Go back and send it again.";
}

export function faultText(error: unknown): string {
  if (isRouteErrorResponse(error)) return `${error.status} ${error.statusText}`.trim();
  return error instanceof Error ? error.message : "Unknown error";
}
