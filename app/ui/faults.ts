import { isRouteErrorResponse } from "react-router";
import { refusalOf } from "~/data/refusals";

/** Whether what was thrown says that there is nothing here: a 404 of a loader, or a live answer to the same effect. */
export function isNotFound(error: unknown): boolean {
  if (isRouteErrorResponse(error)) return error.status === 404;
  return refusalOf(error)?.code === "not_found";
}

/** Answers of a server, or of what stands before it, that cannot reach what it needs. */
const UNAVAILABLE = [502, 503, 504];

/** Whether the deployment, or the server, does not answer. */
function isUnavailable(error: unknown): boolean {
  return isRouteErrorResponse(error) && UNAVAILABLE.includes(error.status);
}

/** Whether a request of the page did not even reach a server; `fetch` says no more than that. */
function isCutOff(error: unknown): boolean {
  return error instanceof TypeError && /fetch|network|load failed/i.test(error.message);
}

/** Whether it passes by itself: either of the two. */
export const isUnreachable = (error: unknown) => isUnavailable(error) || isCutOff(error);

/** What is said of a fault that passes by itself; null: it is no such fault. */
export function passingText(error: unknown): string | null {
  if (isUnavailable(error)) return "Everything that was saved before is safe. This page comes by itself once the server is back.";
  if (isCutOff(error)) return "It cannot be reached from here at the moment. This page comes by itself once it can.";
  return null;
}

/** What is said of a form that was sent otherwise than our pages do (`app/http/form.server.ts`), or too often; null: it is no such fault. */
export function refusedFormText(error: unknown): string | null {
  const status = isRouteErrorResponse(error) ? error.status : 0;
  if (status === 413) return "What was sent is more than a form holds, so none of it was taken. Go back and make it shorter.";
  if (status === 429) return "Too many attempts. Nothing was changed: wait a moment, then go back and try again.";
  if (status !== 400 && status !== 415) return null;
  return "What was sent could not be read, so none of it was taken. Go back and send the form again.";
}

/** What can be told about a fault. In production the server keeps the details of its own to itself. */
export function faultText(error: unknown): string {
  if (isRouteErrorResponse(error)) return `${error.status} ${error.statusText}`.trim();
  return error instanceof Error ? error.message : "Unknown error";
}
