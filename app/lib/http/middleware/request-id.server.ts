import type { MiddlewareFunction } from "react-router";
import { createRequestIDMiddleware } from "remix-utils/middleware/request-id";
import { currentExchange } from "../telemetry/current-request.server";
import { withMutableHeaders } from "../mutable-headers";

const HEADER = "X-Request-ID";

const [nameRequest, getRequestId] = createRequestIDMiddleware({ header: HEADER, limitLength: 64 });

export const requestId: MiddlewareFunction<Response> = async (args, next) => {
  const named = await nameRequest(args, () => {
    const exchange = currentExchange();
    if (exchange) {
      exchange.id = getRequestId(args.context);
      exchange.pattern = `/${args.pattern.replace(/^\//, "")}`;
    }
    return next();
  });
  const response = withMutableHeaders(named instanceof Response ? named : await next());
  response.headers.set(HEADER, getRequestId(args.context));
  return response;
};
