import { createRequestHandler, RouterContextProvider } from "react-router";
import * as build from "virtual:react-router/server-build";
import type { AppConfig } from "~/config";
import { buildContext } from "~/lib/data/build.server";
import { beginBackgroundWork } from "~/lib/http/background-work.server";
import { clientAddressContext, configContext } from "~/lib/http/context";
import { type Log, log as appLog, logTo } from "~/lib/http/telemetry/log.server";
import { recordHistory } from "~/lib/http/telemetry/history.server";
import { observed } from "~/lib/http/telemetry/observe.server";
import { type BackupOutcome, type CommandRecord, operationRecorder } from "~/features/audit/record-operation.server";
import {
  administrationContext,
  isAdministrationAddress,
  isAdministrator,
  withoutAdministrationRoutes,
} from "~/features/administration/administration-gate.server";
import { mailBackupWarning } from "~/features/administration/operation/backup-warning.server";
import { endRemovedGroups } from "~/features/administration/people/end-removed-groups.server";
import { type Installation, installationContext } from "~/features/administration/operation/installation.server";
import { evictDeletedFiles } from "~/features/images/serve/evict-deleted-files.server";
import { imageServiceFor } from "~/features/images/serve/image-service.server";
import { failuresRecorded } from "~/features/accounts/auth-api/record-failure.server";
import { smtpTransport } from "~/features/accounts/mail/transport.server";
import { removeUploadsOfDeletedAccounts } from "~/features/uploads/server/deleted-accounts.server";
import { uploadsFor } from "~/features/uploads/server/uploads.server";
import { startOnce } from "~/lib/rendering/send-once.server";
import { startWebhookWorker } from "~/features/webhooks/worker.server";
import { startMailWorker } from "~/features/accounts/mail/worker.server";

export { checkServiceToken } from "~/features/accounts/session/convex/service-client.server";
export { jwksUri, USER_TOKEN_SECONDS } from "~/features/accounts/session/convex/tokens.server";
export { metricsText } from "~/lib/http/telemetry/metrics.server";
export { takeActivity } from "~/lib/http/telemetry/request-activity.server";
export { openSession } from "~/features/accounts/auth-api/open-session.server";
export { administration } from "~/features/accounts/auth-api/administration.server";

/** React Router fails on other methods. */
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

export type RequestInfo = {
  clientAddress: string;
};

export type App = {
  fetch(request: Request, info: RequestInfo): Promise<Response>;
  /** Renders the sign-in page, so that its code is loaded and compiled before the first visitor. */
  warmUp(origin: string): Promise<void>;
  /** Begins to scan stored files and to remove deleted ones. Call it once the server answers requests. */
  beginBackgroundWork(): void;
  recordBackup(outcome: BackupOutcome): void;
  mailBackupWarning(problem: string | null): Promise<void>;
  recordCommand(record: CommandRecord): Promise<void>;
  close(): Promise<void>;
};

/** Creates the app. The caller passes the settings; nothing here reads the environment. `installation`: for administrators. */
export function createApp(config: AppConfig, log?: Log, installation: Installation | null = null): App {
  if (log) logTo(log);
  // Must run before new uploads: removes those of a killed process.
  const pictures = imageServiceFor(config);
  const { partialUploads } = uploadsFor(config);
  let fileEviction: ReturnType<typeof evictDeletedFiles> | null = null;
  let revocations: ReturnType<typeof pictures.followRevocations> | null = null;
  let stopRemovingUploads: (() => void) | null = null;
  const { smtpUrl, mailFrom } = config;
  const recorder = operationRecorder(config);
  const history = recordHistory({ websockets: () => installation?.websockets() ?? 0 });
  const webhooks = config.webhooks ? startWebhookWorker(config) : null;
  const mail = smtpUrl === null ? null : startMailWorker(config, smtpTransport({ smtpUrl, from: mailFrom }));
  const mode = config.production ? "production" : "development";
  const handler = createRequestHandler(build, mode);
  const withoutAdministration = createRequestHandler(withoutAdministrationRoutes(build), mode);
  const contextOf = (clientAddress: string) => {
    const context = new RouterContextProvider();
    context.set(configContext, config);
    context.set(buildContext, { version: build.assets.version, file: build.assets.url });
    context.set(clientAddressContext, clientAddress);
    startOnce(context);
    return context;
  };
  return {
    fetch(request, { clientAddress }) {
      // React Router treats OPTIONS as a page method, without our middleware. Upload routes answer it themselves (tus 1.0).
      if (request.method === "OPTIONS" && !/^\/uploads(?:\/|$)/.test(new URL(request.url).pathname))
        return Promise.resolve(new Response(null, { status: 204, headers: { Allow: "GET, HEAD, POST" } }));
      if (!METHODS.includes(request.method))
        return Promise.resolve(new Response("Method Not Allowed\n", { status: 405, headers: { Allow: METHODS.join(", ") } }));
      return observed(request, async () => {
        if (hasBrokenOrigin(request)) return refuseOrigin();
        const context = contextOf(clientAddress);
        if (!isAdministrationAddress(request)) return handler(request, context);
        if (!(await isAdministrator(config, request))) return withoutAdministration(request, context);
        context.set(administrationContext, true);
        context.set(installationContext, { installation, history });
        return handler(request, context);
      });
    },
    async warmUp(origin) {
      const page = await handler(new Request(new URL("/sign-in", origin)), contextOf("127.0.0.1"));
      await page.arrayBuffer();
    },
    beginBackgroundWork() {
      beginBackgroundWork(config);
      void recorder.start();
      endRemovedGroups(config);
      fileEviction ??= evictDeletedFiles(config, pictures.copies);
      revocations ??= pictures.followRevocations();
      stopRemovingUploads ??= removeUploadsOfDeletedAccounts(config, partialUploads);
    },
    recordBackup: (outcome) => void recorder.backup(outcome),
    mailBackupWarning: (problem) => mailBackupWarning(config, problem),
    recordCommand: (record) => recorder.command(record),
    async close() {
      stopRemovingUploads?.();
      recorder.close();
      history.close();
      await failuresRecorded(config);
      await Promise.all([partialUploads.close(), mail?.close(), webhooks?.close(), fileEviction?.close(), revocations?.close()]);
    },
  };
}

/** Returns whether the Origin header is invalid. React Router reads it before any middleware, and fails. */
function hasBrokenOrigin({ method, headers }: Request): boolean {
  const origin = headers.get("Origin");
  return method !== "GET" && method !== "HEAD" && origin !== null && origin !== "null" && !URL.canParse(origin);
}

async function refuseOrigin(): Promise<Response> {
  appLog.warn({ status: 403 }, "a request was refused");
  return new Response("Forbidden\n", { status: 403, headers: { "Content-Type": "text/plain; charset=utf-8" } });
}
