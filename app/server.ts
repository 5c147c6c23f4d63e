import { createRequestHandler, RouterContextProvider } from "react-router";
import * as build from "virtual:react-router/server-build";
import type { AppConfig } from "~/config";
import { buildContext } from "~/data/build.server";
import { clientAddressContext, configContext } from "~/http/context";
import { type Log, logTo } from "~/http/log.server";
import { observed } from "~/http/observe.server";
import { startForgetting } from "~/images/forgetting.server";
import { picturesFor } from "~/images/pictures.server";
import { smtpTransport } from "~/accounts/mail/transport.server";
import { uploadsFor } from "~/uploads/uploads.server";
import { startOnce } from "~/rendering/once.server";
import { startMailWorker } from "~/accounts/mail/worker.server";

// For whoever brings a deployment into force: the public key that it must trust, and a client to try whether it does.
export { serviceConvex } from "~/accounts/service.server";
export { jwksUri } from "~/accounts/tokens.server";
// For /metrics.
export { metricsText } from "~/http/metrics.server";
// For `npm run user`.
export { administration } from "~/accounts/administration.server";

/** What React Router knows; for others it has no answer but a fault. */
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** What the server process knows of a request and the request itself does not tell. */
export type RequestInfo = {
  /** The address of the person's machine, as far as the trusted proxies tell it. */
  clientAddress: string;
};

export type App = {
  /** Answers one request. Throws nothing: faults become the app's own error pages. */
  fetch(request: Request, info: RequestInfo): Promise<Response>;
  /** Ends what goes on beside requests: the sending of mail, the forgetting of pictures. */
  close(): Promise<void>;
};

/**
 * The app as one function from request to response: the entry of the server build. Who imports it (`server/`, or a test)
 * brings the settings and a log; the app reads no environment of its own.
 */
export function createApp(config: AppConfig, log?: Log): App {
  if (log) logTo(log);
  // Clears what a killed process left of its uploads, before there are new ones.
  const pictures = picturesFor(config);
  const forgetting = startForgetting(config, (checksum) => pictures.forget(checksum));
  const { parts } = uploadsFor(config);
  const { smtpUrl, mailFrom } = config;
  const mail = smtpUrl === null ? null : startMailWorker(config, smtpTransport({ smtpUrl, from: mailFrom }));
  const handler = createRequestHandler(build, config.production ? "production" : "development");
  return {
    fetch(request, { clientAddress }) {
      // React Router takes it for a page's method, and runs none of our middleware for it.
      // Resumable uploads tell by it what they can do (tus 1.0, OPTIONS).
      if (request.method === "OPTIONS" && !/^\/uploads(?:\/|$)/.test(new URL(request.url).pathname))
        return Promise.resolve(new Response(null, { status: 204, headers: { Allow: "GET, HEAD, POST" } }));
      if (!METHODS.includes(request.method))
        return Promise.resolve(new Response("Method Not Allowed\n", { status: 405, headers: { Allow: METHODS.join(", ") } }));
      const context = new RouterContextProvider();
      context.set(configContext, config);
      context.set(buildContext, { version: build.assets.version, file: build.assets.url });
      context.set(clientAddressContext, clientAddress);
      startOnce(context);
      return observed(request, () => handler(request, context));
    },
    async close() {
      parts.close();
      await Promise.all([mail?.close(), forgetting.close()]);
    },
  };
}
