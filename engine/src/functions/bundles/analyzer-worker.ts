/** Loads pushed code in a temporary thread without a database, so that code which uses one while loading is not deployed. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parentPort, workerData } from "node:worker_threads";
import type { Json } from "../../values/types.ts";
import { parseSchedule } from "../../scheduler/crons.ts";
import { enterIsolate, refuseNodeModules } from "../isolate/environment.ts";
import { describeFailure } from "../failures.ts";
import type { Analysis, AnalyzedFunction } from "../types.ts";

export type AnalyzerData = {
  root: string;
  modules: string[];
  nodeModules: string[];
  schema: string | null;
  authConfig: string | null;
  env: Record<string, string>;
};
export type AnalyzerAnswer = { ok: true; analysis: Analysis } | { ok: false; message: string };

const { root, modules, nodeModules, schema, authConfig, env }: AnalyzerData = workerData.data;

type Exports = Record<string, unknown>;
const load = (path: string): Promise<Exports> => import(pathToFileURL(join(root, path)).href);

async function analyze(): Promise<Analysis> {
  const loaded: Map<string, Exports> = new Map();
  // "use node" files first, before `enterIsolate` removes Node's globals.
  for (const path of nodeModules) loaded.set(path, await named(path, () => load(path)));
  enterIsolate(() => undefined, env);
  refuseNodeModules(root, new Set(nodeModules));
  Object.defineProperty(globalThis, "Convex", { value: { syscall: refuse, asyncSyscall: refuse, jsSyscall: refuse } });
  for (const path of modules) loaded.set(path, await named(path, () => load(path)));

  const functions: AnalyzedFunction[] = [];
  for (const [path, exports] of loaded) {
    const found = await named(path, async () => functionsOf(path, exports));
    const notAction = nodeModules.includes(path) && found.find(({ type }) => type !== "action");
    if (notAction) {
      throw new Error(
        `\`${notAction.name}\` defined in \`${path}\` is a ${capital(notAction.type)} function. Only actions can be defined in Node.js.`,
      );
    }
    functions.push(...found);
  }
  return {
    functions: functions.toSorted((a, b) => compare(`${a.module}:${a.name}`, `${b.module}:${b.name}`)),
    httpRoutes: httpRoutesOf(loaded.get("http.js")),
    crons: await named("crons.js", async () => cronsOf(loaded.get("crons.js"), functions)),
    schema: schema === null ? null : await named(schema, async () => schemaOf(schema, await load(schema))),
    authProviders: authConfig === null ? [] : await named(authConfig, async () => providersOf(await load(authConfig))),
  };
}

function refuse(): never {
  throw new Error("Convex's database and other services cannot be used while modules are loaded. Use them inside a function.");
}

async function named<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Error(`Failed to analyze ${path}: ${describeFailure(error, root).message}`, { cause: error });
  }
}

function functionsOf(path: string, exports: Exports): AnalyzedFunction[] {
  const module = path.replace(/\.js$/, "");
  const found: AnalyzedFunction[] = [];
  for (const [name, value] of Object.entries(exports)) {
    const type = typeOf(value);
    if (!type || typeof value !== "function") continue;
    const isPublic = Reflect.get(value, "isPublic") === true;
    if (!isPublic && Reflect.get(value, "isInternal") !== true) continue;
    const location = `${path}:${name}`;
    const args = exported(value, "exportArgs", location);
    if (!isArgumentsValidator(args)) {
      throw new Error(`Invalid JSON returned from ${location}.exportArgs(): Args validator must be an object or any`);
    }
    found.push({
      module,
      name,
      type,
      visibility: isPublic ? "public" : "internal",
      args,
      returns: exported(value, "exportReturns", location),
    });
  }
  return found;
}

function typeOf(value: unknown): AnalyzedFunction["type"] | null {
  if (typeof value !== "function") return null;
  if ("isQuery" in value) return "query";
  if ("isMutation" in value) return "mutation";
  if ("isAction" in value) return "action";
  return null;
}

const isArgumentsValidator = (json: Json): boolean =>
  json === null || (typeof json === "object" && !Array.isArray(json) && (json["type"] === "object" || json["type"] === "any"));

function exported(value: object, exporter: string, where: string): Json {
  const run: unknown = Reflect.get(value, exporter);
  if (typeof run !== "function") return null;
  const text: unknown = Reflect.apply(run, value, []);
  if (typeof text !== "string") throw new Error(`${where}.${exporter}() must return a string`);
  return JSON.parse(text);
}

function httpRoutesOf(exports: Exports | undefined): Analysis["httpRoutes"] {
  const router = exports?.["default"];
  if (exports === undefined) return [];
  if (
    typeof router !== "object" ||
    router === null ||
    !("isRouter" in router) ||
    !("getRoutes" in router) ||
    typeof router.getRoutes !== "function"
  ) {
    throw new Error("The default export of `convex/http.js` is not a Router.");
  }
  const routes: [string, string][] = router.getRoutes();
  return routes.map(([path, method]) => ({ path, method }));
}

function cronsOf(exports: Exports | undefined, functions: AnalyzedFunction[]): Analysis["crons"] {
  if (exports === undefined) return {};
  const crons = exports["default"];
  if (typeof crons !== "object" || crons === null || !("isCrons" in crons) || !("export" in crons) || typeof crons.export !== "function") {
    throw new Error("The default export of `convex/crons.js` is not a Crons object.");
  }
  const specs: Analysis["crons"] = JSON.parse(crons.export());
  for (const [name, { name: path, schedule }] of Object.entries(specs)) {
    parseSchedule(schedule);
    const target = functions.find((each) => `${each.module}:${each.name}` === path.replace(/\.js(?=:|$)/, ""));
    if (!target) throw new Error(`The cron job '${name}' schedules a function that does not exist: ${path}`);
    if (target.type === "query") throw new Error(`The cron job '${name}' schedules a query: ${path}`);
  }
  return specs;
}

function schemaOf(path: string, exports: Exports): Json {
  const definition = exports["default"];
  if (typeof definition !== "object" || definition === null || !("export" in definition) || typeof definition.export !== "function") {
    throw new Error(`Schema file missing default export. Be sure to export a schema from ${path}.`);
  }
  return JSON.parse(definition.export());
}

function providersOf(exports: Exports): Json[] {
  const config = exports["default"];
  if (typeof config !== "object" || config === null || !("providers" in config) || !Array.isArray(config.providers)) {
    throw new Error("auth config file must include a list of provider credentials: https://docs.convex.dev/auth");
  }
  const providers: unknown[] = config.providers;
  return providers.map((provider) => {
    const json: Json = JSON.parse(JSON.stringify(provider ?? null));
    if (typeof json !== "object" || json === null || Array.isArray(json)) throw new Error("An auth provider must be an object.");
    const required = json["type"] === "customJwt" ? ["issuer", "jwks", "algorithm"] : ["domain", "applicationID"];
    for (const field of required) {
      if (typeof json[field] !== "string") throw new Error(missingSetting(field));
    }
    if (json["type"] === "customJwt") return { ...json, applicationID: json["applicationID"] ?? null };
    return json;
  });
}

const missingSetting = (field: string): string =>
  `An auth provider has no \`${field}\`. If it comes from an environment variable, set that on the deployment first.`;

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const port = parentPort;
if (!port) throw new Error("The analyzer runs as a worker thread.");
const answer = (message: AnalyzerAnswer): void => port.postMessage(message);
process.on("unhandledRejection", () => undefined);
analyze().then(
  (analysis) => answer({ ok: true, analysis }),
  (error: unknown) => answer({ ok: false, message: error instanceof Error ? error.message : String(error) }),
);
