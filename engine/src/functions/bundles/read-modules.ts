import type { Json } from "../../values/types.ts";
import { parseSchedule } from "../../scheduler/crons.ts";
import type { Analysis, AnalyzedFunction, ModulesAnalysis } from "../types.ts";

export type Exports = Record<string, unknown>;

export function functionsOf(path: string, exports: Exports): AnalyzedFunction[] {
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

export function httpRoutesOf(exports: Exports | undefined): ModulesAnalysis["httpRoutes"] {
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

export function cronsOf(exports: Exports | undefined, functions: AnalyzedFunction[]): ModulesAnalysis["crons"] {
  if (exports === undefined) return {};
  const crons = exports["default"];
  if (typeof crons !== "object" || crons === null || !("isCrons" in crons) || !("export" in crons) || typeof crons.export !== "function") {
    throw new Error("The default export of `convex/crons.js` is not a Crons object.");
  }
  const specs: ModulesAnalysis["crons"] = JSON.parse(crons.export());
  for (const [name, { name: path, schedule }] of Object.entries(specs)) {
    parseSchedule(schedule);
    const target = functions.find((each) => `${each.module}:${each.name}` === path.replace(/\.js(?=:|$)/, ""));
    if (!target) throw new Error(`The cron job '${name}' schedules a function that does not exist: ${path}`);
    if (target.type === "query") throw new Error(`The cron job '${name}' schedules a query: ${path}`);
  }
  return specs;
}

export function schemaOf(path: string, exports: Exports): Json {
  const definition = exports["default"];
  if (typeof definition !== "object" || definition === null || !("export" in definition) || typeof definition.export !== "function") {
    throw new Error(`Schema file missing default export. Be sure to export a schema from ${path}.`);
  }
  return JSON.parse(definition.export());
}

export function providersOf(exports: Exports): Analysis["authProviders"] {
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
