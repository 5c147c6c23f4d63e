import { isRouteErrorResponse } from "react-router";
import { refusalOf } from "~/data/refusals";

/** Whether what was thrown says that there is nothing here: a 404 of a loader, or a live answer to the same effect. */
export function isNotFound(error: unknown): boolean {
  if (isRouteErrorResponse(error)) return error.status === 404;
  return refusalOf(error)?.code === "not_found";
}

/** Whether the deployment, or the server, does not answer. */
export function isUnavailable(error: unknown): boolean {
  return isRouteErrorResponse(error) && error.status === 503;
}

/** What can be told about a fault. In production the server keeps the details of its own to itself. */
export function faultText(error: unknown): string {
  if (isRouteErrorResponse(error)) return `${error.status} ${error.statusText}`.trim();
  return error instanceof Error ? error.message : "Unknown error";
}
