import type { Authenticator } from "../auth/authenticate.ts";
import { BundleError } from "../functions/bundles/bundle-error.ts";
import { EnvironmentError, type EnvironmentChange } from "../functions/settings.ts";
import { APP } from "../functions/paths.ts";
import type { FunctionRunner, Outcome } from "../functions/types.ts";
import { isObject, readJsonObject } from "../http/body.ts";
import { outcomeText } from "../http/calls.ts";
import { badRequest } from "../http/errors.ts";
import { json, jsonText } from "../http/reply.ts";
import type { Routes } from "../http/router.ts";
import type { Json } from "../values/types.ts";
import type { LogStream } from "./log-stream.ts";
import { pushRoutes } from "./push.ts";

export type DeployOptions = {
  runner: FunctionRunner;
  authenticator: Authenticator;
  logs: LogStream;
  urls: { url: string; siteUrl: string };
};

/** Unsupported routes, rejected without a 404, which the command line would retry. */
const NOT_OFFERED = {
  "POST /api/shapes2": "the shapes of tables",
} as const;

const notOffered = (what: string) => (): never => {
  throw badRequest(`This deployment does not offer ${what}.`, "NotSupported");
};

export function deployRoutes({ runner, authenticator, logs, urls }: DeployOptions): Routes {
  const isMounted = async (component: string): Promise<boolean> =>
    (await runner.current())?.analysis.components.mounts.some(({ path }) => path === component) ?? false;
  return {
    ...pushRoutes(runner, authenticator),
    ...Object.fromEntries(Object.entries(NOT_OFFERED).map(([address, what]) => [address, notOffered(what)])),
    "POST /api/run_test_function": async ({ request }) => {
      await authenticator.requireAdmin(request.headers.authorization);
      const { bundle, componentId = null } = await readJsonObject(request);
      const source = isObject(bundle) ? bundle.source : undefined;
      if (typeof source !== "string") throw badRequest("`bundle.source` must be the text of a module.");
      if (componentId !== null && typeof componentId !== "string") throw badRequest("`componentId` must be a string.");
      const component = componentId ?? APP;
      if (component !== APP && !(await isMounted(component))) throw badRequest(`There is no component ${JSON.stringify(component)}.`);
      const outcome = await runner.inlineQuery(source, component).catch((error: unknown): Outcome => {
        if (error instanceof BundleError) return { ok: false, message: error.message, logLines: [] };
        throw error;
      });
      return jsonText(outcomeText(outcome, "convex_encoded_json"));
    },
    "POST /api/update_environment_variables": async ({ request }) => {
      await authenticator.requireAdmin(request.headers.authorization);
      const { changes } = await readJsonObject(request);
      if (!Array.isArray(changes)) throw badRequest("`changes` must be an array.");
      await runner.environment.update(changes.map(readChange)).catch((error: unknown) => {
        if (error instanceof EnvironmentError) throw badRequest(error.message, error.code);
        if (!(error instanceof BundleError)) throw error;
        throw badRequest(`The deployed code cannot use this value: ${error.message}`, "EnvironmentVariableInvalid");
      });
      authenticator.configure((await runner.current())?.analysis.authProviders ?? []);
      return json({});
    },
    "GET /api/stream_function_logs": async ({ request, query }) => {
      await authenticator.requireAdmin(request.headers.authorization);
      const disconnected = new AbortController();
      const leave = () => disconnected.abort();
      request.socket.once("close", leave);
      try {
        return json(await logs.poll(Number(query.get("cursor") ?? 0) || 0, disconnected.signal));
      } finally {
        request.socket.off("close", leave);
      }
    },
    "GET /api/v1/get_canonical_urls": async ({ request }) => {
      await authenticator.requireAdmin(request.headers.authorization);
      return json({ convexCloudUrl: urls.url, convexSiteUrl: urls.siteUrl });
    },
  };
}

function readChange(change: Json): EnvironmentChange {
  const { name, value = null } = isObject(change) ? change : {};
  if (typeof name !== "string") throw badRequest("The name of an environment variable must be a string.", "EnvironmentVariableNameInvalid");
  if (value !== null && typeof value !== "string") throw badRequest(`The value of ${name} must be a string.`);
  return { name, value };
}
