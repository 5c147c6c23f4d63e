import type { MiddlewareFunction, RouterContextProvider } from "react-router";
import { createRequestIDMiddleware } from "remix-utils/middleware/request-id";
import { mutable } from "./mutable";

const HEADER = "X-Request-ID";

const [nameRequest, getRequestId] = createRequestIDMiddleware({ header: HEADER, limitLength: 64 });

/** The name that a request goes by in logs and in its answer; a dash for one that failed before it had one. */
export function requestName(context: Readonly<RouterContextProvider>): string {
  try {
    return getRequestId(context);
  } catch {
    return "-";
  }
}

/**
 * Names the request, by the name that a proxy before us gave it or else by one of our own, and tells it in the answer: what somebody reports
 * can then be found in the logs.
 */
export const requestId: MiddlewareFunction<Response> = async (args, next) => {
  const named = await nameRequest(args, next);
  const response = mutable(named instanceof Response ? named : await next());
  response.headers.set(HEADER, requestName(args.context));
  return response;
};
