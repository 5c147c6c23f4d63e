/** Reads a push (`convex/src/cli/lib/deployApi/startPush.ts`) into a bundle. */
import { createHash } from "node:crypto";
import type { Bundle, BundledModule, ComponentBundle, NodeDependency } from "../functions/types.ts";
import { isObject } from "../http/body.ts";
import { badRequest } from "../http/errors.ts";
import type { Json } from "../values/types.ts";

/** Pushed among the functions (`bundleAuthConfig` in `convex/src/bundler`). */
const AUTH_CONFIG_PATH = "auth.config.js";

/** Computes the hash by which the command line finds changed modules (`hash` in `convex/src/cli/lib/components.ts`). */
export function moduleHash({ source, sourceMap }: BundledModule): string {
  return createHash("sha256")
    .update(source)
    .update(sourceMap ?? "")
    .digest("hex");
}

export function pushedModules(bundle: Bundle): BundledModule[] {
  return bundle.authConfig ? [...bundle.modules, bundle.authConfig] : bundle.modules;
}

/** `mustBeIsolate` in `convex/src/bundler/index.ts`. */
const ISOLATE_ONLY = new Set(["http.js", "crons.js", "schema.js", AUTH_CONFIG_PATH]);

/** @throws {RequestError} 400 naming what is missing, malformed or unsupported */
export function readBundle(request: { [key: string]: Json }, current: Bundle | null): Bundle {
  const { appDefinition } = request;
  if (!isObject(appDefinition)) throw badRequest("`appDefinition` must be an object.");
  const changed = list(appDefinition, "changedModules").map(readModule);
  const unchanged = list(appDefinition, "unchangedModuleHashes").map((entry) => findUnchanged(entry, current));
  const all = [...changed, ...unchanged];
  const misplaced = all.find(({ path, environment }) => environment === "node" && ISOLATE_ONLY.has(path));
  if (misplaced) throw badRequest(`"use node" directive is not allowed for ${misplaced.path}.`, "InvalidModules");
  const { definition = null, schema = null } = appDefinition;
  return {
    modules: all.filter((module) => module.path !== AUTH_CONFIG_PATH),
    schema: schema === null ? null : readModule(schema),
    authConfig: all.find((module) => module.path === AUTH_CONFIG_PATH) ?? null,
    definition: definition === null ? null : readModule(definition),
    components: request.componentDefinitions === undefined ? [] : list(request, "componentDefinitions").map(readComponent),
    nodeDependencies: request.nodeDependencies === undefined ? [] : list(request, "nodeDependencies").map(readDependency),
    nodeVersion: readNodeVersion(request.nodeVersion ?? null),
  };
}

/** `componentDefinitionConfig` in `convex/src/cli/lib/deployApi/definitionConfig.ts`. Modules of components are always sent. */
function readComponent(value: Json): ComponentBundle {
  if (!isObject(value)) throw badRequest("A component must be an object.");
  const { definitionPath, definition = null, schema = null } = value;
  if (typeof definitionPath !== "string" || definitionPath === "") throw badRequest("A component must have a `definitionPath`.");
  const modules = list(value, "functions").map(readModule);
  const node = modules.find(({ environment }) => environment === "node");
  if (node) throw badRequest(`Components cannot have "use node" modules: ${definitionPath}/${node.path}.`, "InvalidModules");
  return {
    path: definitionPath,
    definition: readModule(definition),
    dependencies: list(value, "dependencies").map(String),
    schema: schema === null ? null : readModule(schema),
    modules,
  };
}

function readModule(value: Json): BundledModule {
  if (!isObject(value)) throw badRequest("A module must be an object.");
  const { path, source, sourceMap, environment } = value;
  if (typeof path !== "string" || !isSafePath(path)) throw badRequest(`${JSON.stringify(path)} is not the path of a module.`);
  if (typeof source !== "string") throw badRequest(`The module ${path} has no source.`);
  if (environment !== "isolate" && environment !== "node") throw badRequest(`The module ${path} has an unknown environment.`);
  return { path, source, environment, ...(typeof sourceMap === "string" ? { sourceMap } : {}) };
}

function readDependency(value: Json): NodeDependency {
  if (!isObject(value) || typeof value.name !== "string" || typeof value.version !== "string")
    throw badRequest("An entry of `nodeDependencies` must have a `name` and a `version`.");
  return { name: value.name, version: value.version };
}

/** The oldest version that Convex has offered. */
const OLDEST_NODE_VERSION = 16;

/** Accepts versions up to the running one, which runs all Node.js actions. */
function readNodeVersion(value: Json): string | null {
  if (value === null) return null;
  const running = Number.parseInt(process.versions.node, 10);
  if (typeof value === "string" && /^\d{2}$/.test(value) && Number(value) >= OLDEST_NODE_VERSION && Number(value) <= running) return value;
  throw badRequest(
    `\`node.nodeVersion\` in convex.json is ${JSON.stringify(value)}. This deployment runs Node ${running}: use "${running}" or an older version, or start the deployment with a newer Node.`,
    "InvalidNodeVersion",
  );
}

function isSafePath(path: string): boolean {
  return /^[\w.-]+(?:\/[\w.-]+)*$/.test(path) && !path.split("/").some((part) => part === "." || part === "..");
}

function findUnchanged(value: Json, current: Bundle | null): BundledModule {
  if (!isObject(value) || typeof value.path !== "string") throw badRequest("An unchanged module must have a path.");
  const found = current && pushedModules(current).find((module) => module.path === value.path);
  if (!found || moduleHash(found) !== value.sha256 || found.environment !== (value.environment ?? found.environment)) {
    throw badRequest(`The module ${value.path} differs from the deployed module: push again.`, "RaceDetected");
  }
  return found;
}

function list(fields: { [key: string]: Json }, name: string): Json[] {
  const value = fields[name];
  if (!Array.isArray(value)) throw badRequest(`\`${name}\` must be an array.`);
  return value;
}
