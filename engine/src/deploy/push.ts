/** Nothing changes before `finish_push`, which applies everything in one commit. */
import { randomUUID } from "node:crypto";
import type { Authenticator } from "../auth/authenticate.ts";
import { APP, nameIn, type ComponentPath } from "../functions/paths.ts";
import type { Bundle, FunctionRunner, Push, SchemaChange } from "../functions/types.ts";
import { isObject, PUSH_BODY, readJsonObject } from "../http/body.ts";
import { badRequest, RequestError } from "../http/errors.ts";
import { json } from "../http/reply.ts";
import type { Handler, Routes } from "../http/router.ts";
import type { Json } from "../values/types.ts";
import { moduleHash, pushedModules, readBundle } from "./push-request.ts";
import {
  evaluateSchemaResponse,
  finishPushResponse,
  schemaChange,
  NO_CHANGE,
  startPushResponse,
  type SchemaChanges,
} from "./push-response.ts";

const PENDING_PUSHES = 8;

type SchemaError = { component: ComponentPath; message: string };
type Pending = { push: Push; changes: SchemaChanges; schemaError: SchemaError | null };
type Body = { [key: string]: Json };

export function pushRoutes(runner: FunctionRunner, authenticator: Authenticator): Routes {
  const pending = new Map<string, Pending>();

  const admin =
    (handle: (body: Body) => Promise<Json>): Handler =>
    async ({ request }) => {
      await authenticator.requireAdmin(request.headers.authorization);
      return json(await handle(await readJsonObject(request, PUSH_BODY)));
    };

  const start = async (body: Body): Promise<Pending & { pushId: string }> => {
    const current = await runner.current();
    const bundle = readBundle(body, current?.bundle ?? null);
    const analysis = await refusing("InvalidModules", "Hit an error while pushing", () => analyze(bundle));
    const push: Push = { bundle, analysis };
    const checked = await prepare(push);
    const pushId = randomUUID();
    pending.set(pushId, { push, ...checked });
    for (const id of [...pending.keys()].slice(0, -PENDING_PUSHES)) pending.delete(id);
    return { pushId, push, ...checked };
  };

  const prepare = async (push: Push): Promise<Omit<Pending, "push">> => {
    const changes = new Map<ComponentPath, SchemaChange>();
    let schemaError: SchemaError | null = null;
    for (const component of [APP, ...push.analysis.components.mounts.map(({ path }) => path)]) {
      const change = await runner.prepare(push, component).catch((error: unknown) => {
        schemaError ??= { component, message: messageOf(error) };
        return NO_CHANGE;
      });
      changes.set(component, change);
    }
    return { changes, schemaError };
  };

  const analyze = async (bundle: Bundle) => {
    try {
      return await runner.analyze(bundle);
    } catch (error) {
      const missing = missingVariable(bundle.authConfig?.source ?? "", await runner.environment.list());
      // The command line parses the name from this text.
      if (missing !== null) {
        throw badRequest(
          `Environment variable ${missing} is used in auth config file but its value was not set.`,
          "AuthConfigMissingEnvironmentVariable",
        );
      }
      throw error;
    }
  };

  const find = (change: Json | undefined): Pending => {
    const ids = isObject(change) ? change.schemaIds : undefined;
    const id = isObject(ids) ? ids[""] : undefined;
    const found = typeof id === "string" ? pending.get(id) : undefined;
    if (!found) throw badRequest("There is no such push: start it again.", "RaceDetected");
    return found;
  };

  return {
    "POST /api/get_config_hashes": admin(async () => {
      const current = await runner.current();
      const moduleHashes = current
        ? pushedModules(current.bundle).map((module) => ({ path: module.path, environment: module.environment, hash: moduleHash(module) }))
        : [];
      const { nodeDependencies = [], nodeVersion = null } = current?.bundle ?? {};
      return { config: { functions: "convex/" }, moduleHashes, nodeDependencies, ...(nodeVersion !== null && { nodeVersion }) };
    }),
    "POST /api/deploy2/start_push": admin(async (body) => {
      const { pushId, push, changes } = await start(body);
      return startPushResponse({
        pushId,
        analysis: push.analysis,
        changes,
        environment: await runner.environment.list(),
        serverVersion: serverVersion(body),
      });
    }),
    "POST /api/deploy2/evaluate_push": admin(async (body) => {
      const { pushId, changes } = await start(body);
      return { schemaChange: schemaChange(pushId, changes) };
    }),
    "POST /api/deploy2/evaluate_schema": admin(async (body) => {
      const { push, changes } = await start(body);
      const sizes = new Map<string, number>();
      for (const [component, change] of changes)
        for (const { table } of Object.values(change).flat()) sizes.set(nameIn(component, table), await runner.tableSize(table, component));
      return evaluateSchemaResponse(push.analysis, changes, sizes);
    }),
    "POST /api/deploy2/wait_for_schema": admin(async (body): Promise<Json> => {
      const { schemaError } = find(body.schemaChange);
      if (schemaError === null) return { type: "complete" };
      const { component, message } = schemaError;
      return { type: "failed", error: message, componentPath: component, tableName: /in table "([^"]+)"/.exec(message)?.[1] ?? null };
    }),
    "POST /api/deploy2/finish_push": admin(async (body) => {
      const { push, changes } = find(isObject(body.startPush) ? body.startPush.schemaChange : undefined);
      const [before, stored] = [await runner.current(), await runner.components()];
      if (body.dryRun !== true) {
        await refusing("SchemaDefinitionError", "Could not finish the push", () => runner.apply(push));
        authenticator.configure(push.analysis.authProviders);
      }
      return finishPushResponse(before, push, changes, stored);
    }),
    "POST /api/deploy2/report_push_completed": admin(async () => ({})),
  };
}

async function refusing<T>(code: string, prefix: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof RequestError) throw error;
    const own = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null;
    throw badRequest(own === null ? `${prefix}:\n${messageOf(error)}` : messageOf(error), own ?? code);
  }
}

function missingVariable(authConfig: string, environment: Record<string, string>): string | null {
  for (const [, name = ""] of authConfig.matchAll(/process\.env\.(\w+)/g)) if (!(name in environment)) return name;
  return null;
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

function serverVersion(body: Body): string {
  const version = isObject(body.appDefinition) ? body.appDefinition.udfServerVersion : undefined;
  return typeof version === "string" ? version : "unknown";
}
