import { isRouteErrorResponse } from "react-router";
import { refusalOf } from "~/lib/data/error-responses";
import { refusedFormText } from "~/lib/http/error-texts";

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

export const refusedText = (error: unknown) => (isRouteErrorResponse(error) ? refusedFormText(error.status) : null);

export function faultText(error: unknown): string {
  if (isRouteErrorResponse(error)) return `${error.status} ${error.statusText}`.trim();
  return error instanceof Error ? error.message : "Unknown error";
}
