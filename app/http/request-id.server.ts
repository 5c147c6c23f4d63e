import type { MiddlewareFunction } from "react-router";
import { createRequestIDMiddleware } from "remix-utils/middleware/request-id";
import { currentExchange } from "./exchange.server";
import { mutable } from "./mutable";

const HEADER = "X-Request-ID";

const [nameRequest, getRequestId] = createRequestIDMiddleware({ header: HEADER, limitLength: 64 });

/**
 * Names the request, by the name that a proxy before us gave it or else by one of our own, and tells it in the answer: what somebody reports
 * can then be found in the logs.
 */
export const requestId: MiddlewareFunction<Response> = async (args, next) => {
  const named = await nameRequest(args, () => {
    const exchange = currentExchange();
    if (exchange) {
      exchange.id = getRequestId(args.context);
      exchange.pattern = `/${args.pattern.replace(/^\//, "")}`;
    }
    return next();
  });
  const response = mutable(named instanceof Response ? named : await next());
  response.headers.set(HEADER, getRequestId(args.context));
  return response;
};
