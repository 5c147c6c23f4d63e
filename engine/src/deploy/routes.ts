/**
 * What the official command line asks of a deployment besides functions: pushes, environment variables, logs, addresses.
 */
import type { Authenticator } from "../auth/authenticate.ts";
import type { FunctionRunner } from "../functions/types.ts";
import { isObject, readJsonObject } from "../http/body.ts";
import { badRequest } from "../http/errors.ts";
import { json } from "../http/reply.ts";
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

/** Known to the command line and not offered here: said at once, where a 404 would be tried again for a while. */
const NOT_OFFERED = {
  "POST /api/export/*": "convex export",
  "GET /api/export/*": "convex export",
  "POST /api/import/*": "convex import",
  "POST /api/run_test_function": "convex run --inline-query",
  "POST /api/shapes2": "the shapes of tables",
} as const;

const notOffered = (what: string) => (): never => {
  throw badRequest(`This deployment does not offer ${what}.`, "NotSupported");
};

export function deployRoutes({ runner, authenticator, logs, urls }: DeployOptions): Routes {
  return {
    ...pushRoutes(runner, authenticator),
    ...Object.fromEntries(Object.entries(NOT_OFFERED).map(([address, what]) => [address, notOffered(what)])),
    "POST /api/update_environment_variables": async ({ request }) => {
      await authenticator.requireAdmin(request.headers.authorization);
      const { changes } = await readJsonObject(request);
      if (!Array.isArray(changes)) throw badRequest("`changes` must be an array.");
      await runner.environment.update(changes.map(readChange));
      // The providers may be computed from variables.
      authenticator.configure((await runner.current())?.analysis.authProviders ?? []);
      return json({});
    },
    "GET /api/stream_function_logs": async ({ request, query }) => {
      await authenticator.requireAdmin(request.headers.authorization);
      const gone = new AbortController();
      request.socket.once("close", () => gone.abort());
      return json(await logs.poll(Number(query.get("cursor") ?? 0) || 0, gone.signal));
    },
    "GET /api/v1/get_canonical_urls": async ({ request }) => {
      await authenticator.requireAdmin(request.headers.authorization);
      return json({ convexCloudUrl: urls.url, convexSiteUrl: urls.siteUrl });
    },
  };
}

/** Convex's own bounds (docs.convex.dev, Environment Variables). */
const MAX_NAME_LENGTH = 40;
const MAX_VALUE_BYTES = 8 * 1024;

function readChange(change: Json): { name: string; value: string | null } {
  const { name, value = null } = isObject(change) ? change : {};
  if (typeof name !== "string" || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || name.length > MAX_NAME_LENGTH) {
    throw badRequest(
      `Environment variable names must start with a letter, contain only letters, numbers and underscores, and be at most ${MAX_NAME_LENGTH} characters long: ${JSON.stringify(name ?? null)}.`,
      "EnvironmentVariableNameInvalid",
    );
  }
  if (value !== null && typeof value !== "string") throw badRequest(`The value of ${name} must be text.`);
  if (value !== null && Buffer.byteLength(value) > MAX_VALUE_BYTES) {
    throw badRequest(`The value of ${name} is larger than ${MAX_VALUE_BYTES} bytes.`, "EnvironmentVariableTooLarge");
  }
  return { name, value };
}
