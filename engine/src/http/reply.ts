import type { OutgoingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { DamagedDataError, DISK_FULL, DiskFullError, OverloadedError } from "../values/errors.ts";
import { RequestError } from "./errors.ts";

const DAMAGED = "The data of this deployment is damaged, so nothing is written. See its log for what to do.";

export type Reply = { status: number; headers: OutgoingHttpHeaders; body: string | Uint8Array | Readable | null };

export function jsonText(text: string, status = 200): Reply {
  return { status, headers: { "Content-Type": "application/json" }, body: text };
}

export const json = (value: unknown, status = 200): Reply => jsonText(JSON.stringify(value), status);

export const empty = (status = 200, headers: OutgoingHttpHeaders = {}): Reply => ({ status, headers, body: null });

/** Returns the reply for an error. Clients get the text of a `RequestError` only; other errors go to `report`. */
export function failure(error: unknown, report: (error: unknown) => void): Reply {
  if (error instanceof RequestError) return json({ code: error.code, message: error.message }, error.status);
  if (error instanceof DiskFullError) {
    // Without the stack: every write fails until there is space, and the stacks would fill the log.
    report(error.message);
    return json({ code: "InsufficientStorage", message: DISK_FULL }, 507);
  }
  if (error instanceof OverloadedError) return json({ code: error.code, message: error.message }, 503);
  report(error);
  if (error instanceof DamagedDataError) return json({ code: "DataDamaged", message: DAMAGED }, 503);
  return json({ code: "InternalServerError", message: "Your request couldn't be completed. Try again later." }, 500);
}
