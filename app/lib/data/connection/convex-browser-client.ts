import { ConvexReactClient } from "convex/react";
import { type AppConfig, TOKEN_REFRESH_LEEWAY_SECONDS } from "~/config";
import { sharedClient } from "./connection";
import { retryConflicts } from "../write-conflicts";
import { watchedWebSocket } from "./watched-socket";

/** Returns the document's only client. Sign-in and sign-out load a new document, so users never share answers. */
export function browserConvex(address: AppConfig["browserConvex"]): ConvexReactClient {
  if (typeof document === "undefined") return connect("http://server-rendering.invalid");
  return sharedClient(() =>
    address.kind === "direct"
      ? connect(address.url, watchedWebSocket())
      : connect(location.origin + address.prefix, watchedWebSocket({ fallsBack: true })),
  );
}

function connect(url: string, webSocketConstructor?: typeof WebSocket): ConvexReactClient {
  const client = new ConvexReactClient(url, {
    ...(webSocketConstructor && { webSocketConstructor }),
    skipConvexDeploymentUrlCheck: true,
    // `connection-status.tsx` warns instead, except for background mutations.
    unsavedChangesWarning: false,
    expectAuth: true,
    initialAuthTokenReuse: true,
    authRefreshTokenLeewaySeconds: TOKEN_REFRESH_LEEWAY_SECONDS,
    logger: quietLogger,
    // Specification 7 and 9: reports requests that took longer than a minute.
    reportDebugInfoToConvex: true,
  });
  const mutate: typeof client.mutation = client.mutation.bind(client);
  client.mutation = (mutation, ...rest) => retryConflicts(() => mutate(mutation, ...rest));
  return client;
}

/** Forms and error screens show function errors, so they are not printed. */
const FUNCTION_LINE = /^\[CONVEX [QMA]\(/;

const quietLogger = {
  logVerbose() {},
  log() {},
  warn: (...args: unknown[]) => console.warn(...args),
  error(...args: unknown[]) {
    if (!FUNCTION_LINE.test(String(args[0]))) console.error(...args);
  },
};
