import type { MiddlewareFunction } from "react-router";
import { NOT_FOUND_TEXT, refusedFormText } from "../error-texts";

/** Replaces the body `null`, which React Router sends for `throw data(null)` in a route without a page, with a text. */
export const describeErrors: MiddlewareFunction<Response> = async (_, next) => {
  const response = await next();
  if (response.status < 400 || response.headers.get("Content-Type") !== "application/json") return response;
  const body = await response.text();
  const headers = new Headers(response.headers);
  headers.delete("Content-Length");
  if (body !== "null") return new Response(body, { status: response.status, statusText: response.statusText, headers });
  headers.set("Content-Type", "text/plain; charset=utf-8");
  return new Response(`${textOf(response)}\n`, { status: response.status, statusText: response.statusText, headers });
};

function textOf({ status, statusText }: Response): string {
  if (status === 404) return NOT_FOUND_TEXT;
  if (status === 502 || status === 503 || status === 504)
    return "The server is not responding. Your saved work is safe. Try again in a moment.";
  return refusedFormText(status) ?? `${status} ${statusText}`.trim();
}
