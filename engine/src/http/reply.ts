/**
 * What a handler answers. Handlers return replies and never touch the socket, so that one place writes them.
 */
import type { OutgoingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { RequestError } from "./errors.ts";

export type Reply = { status: number; headers: OutgoingHttpHeaders; body: string | Uint8Array | Readable | null };

/** `text` is JSON already. */
export function jsonText(text: string, status = 200): Reply {
  return { status, headers: { "Content-Type": "application/json" }, body: text };
}

export const json = (value: unknown, status = 200): Reply => jsonText(JSON.stringify(value), status);

export const empty = (status = 200, headers: OutgoingHttpHeaders = {}): Reply => ({ status, headers, body: null });

/** The reply to a failed request. Only a `RequestError` tells the stranger what went wrong; all else goes to `report`. */
export function failure(error: unknown, report: (error: unknown) => void): Reply {
  if (error instanceof RequestError) return json({ code: error.code, message: error.message }, error.status);
  report(error);
  return json({ code: "InternalServerError", message: "Your request couldn't be completed. Try again later." }, 500);
}
