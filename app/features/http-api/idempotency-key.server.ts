import { createHash, randomUUID } from "node:crypto";
import { ApiError } from "./api-error.server";

const KEY = /^[\w-]{8,60}$/;

/** Returns the `Idempotency-Key` of a request, or null without one. Throws 400 for a malformed one. */
export function keyOf({ headers }: Request): string | null {
  const key = headers.get("Idempotency-Key");
  if (key === null || KEY.test(key)) return key;
  throw new ApiError(400, "invalid_idempotency_key", "Idempotency-Key must have 8 to 60 letters, digits, hyphens or underscores.");
}

/** Returns the key of a comment. The same `Idempotency-Key` with another item or comment gives another key, so that no comment is lost. */
export function commentKeyOf(request: Request, comment: object): string {
  const key = keyOf(request);
  if (key === null) return `api-${randomUUID()}`;
  const content = JSON.stringify([key, new URL(request.url).pathname, comment]);
  return `api-${createHash("sha256").update(content).digest("base64url")}`;
}
