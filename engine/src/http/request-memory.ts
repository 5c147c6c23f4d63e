import type { IncomingMessage, ServerResponse } from "node:http";
import type { ExceededLimit, MemoryAccount } from "../memory/budget.ts";
import { RequestError } from "./errors.ts";

const accounts = new WeakMap<IncomingMessage, MemoryAccount>();

/** Counts a request's memory until the returned function is called and the response has ended. Functions continue after a disconnect. */
export function countRequest(request: IncomingMessage, response: ServerResponse, account: MemoryAccount): () => void {
  accounts.set(request, account);
  let [isHandled, hasEnded] = [false, false];
  const closeAtEnd = () => {
    if (isHandled && hasEnded) account.close();
  };
  response.once("close", () => {
    hasEnded = true;
    closeAtEnd();
  });
  return () => {
    isHandled = true;
    closeAtEnd();
  };
}

export const markAuthenticated = (request: IncomingMessage): void => void accounts.get(request)?.setTier("authenticated");

export function keepForRequest(request: IncomingMessage, bytes: number): void {
  const account = accounts.get(request);
  const exceeded = account?.resize(bytes);
  if (!exceeded) return;
  account?.resize(0);
  throw refusal(exceeded);
}

/** @throws {RequestError} 503 when the total limit is exceeded; results have their own size limit */
export function countResponse(request: IncomingMessage, bytes: number): void {
  const exceeded = accounts.get(request)?.resize(bytes);
  if (exceeded && exceeded !== "connection") throw refusal(exceeded);
}

function refusal(exceeded: ExceededLimit): RequestError {
  if (exceeded === "connection") return new RequestError(413, "PayloadTooLarge", "The request needs more memory than is allowed for it.");
  return new RequestError(503, "TooManyConcurrentRequests", "Too much memory is in use for other requests. Try again later.");
}
