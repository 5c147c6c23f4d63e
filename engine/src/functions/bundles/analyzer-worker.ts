/** Loads pushed code in a temporary thread without a database, so that code which uses one while loading is not deployed. */
import { Buffer } from "node:buffer";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import {
  sortByDependencies,
  mountedComponents,
  NO_DEFINITION,
  readDefinition,
  type ComponentDefinition,
} from "../components/definitions.ts";
import { componentEnvironments } from "../components/environments.ts";
import { importMounted, passMountsOn } from "../components/mount-imports.ts";
import { ProcessEnvironments } from "../components/process-env.ts";
import { enterIsolate, refuseNodeModules } from "../isolate/environment.ts";
import { APP } from "../paths.ts";
import type { Analysis, AnalyzedFunction, Components, ModulesAnalysis } from "../types.ts";
import { withModuleName as namedIn } from "./analyze-module.ts";
import { DEFINITION_FILE } from "./bundle.ts";
import { cronsOf, functionsOf, httpRoutesOf, providersOf, schemaOf, type Exports } from "./read-modules.ts";

type AnalyzedComponent = { path: string; dependencies: string[]; folder: string; schema: string | null; modules: string[] };
export type AnalyzerData = {
  root: string;
  modules: string[];
  nodeFunctions: AnalyzedFunction[];
  schema: string | null;
  authConfig: string | null;
  hasDefinition: boolean;
  components: AnalyzedComponent[];
  env: Record<string, string>;
};
export type AnalyzerAnswer = { ok: true; analysis: Analysis } | { ok: false; message: string };

const { root, modules, nodeFunctions, schema, authConfig, hasDefinition, components, env }: AnalyzerData = workerData.data;

/** As in `definitionImportPath` of `convex/src/cli/lib/components/definition/bundle.ts`. */
const DEFINITION_IMPORT = "./_componentDeps/";

type Source = { folder: string; modules: string[]; schema: string | null; mount: string };

async function analyze(): Promise<Analysis> {
  const app: Source = { folder: "", modules, schema, mount: APP };
  enterIsolate(() => undefined, env);
  refuseNodeModules(root);
  if (components.length > 0) passMountsOn(root);
  Object.defineProperty(globalThis, "Convex", { value: { syscall: refuse, asyncSyscall: refuse, jsSyscall: refuse } });

  const { appDefinition, definitions } = await loadDefinitions();
  const mounts = mountedComponents(appDefinition, definitions);
  const analyzed: Components = { app: appDefinition, definitions: {}, mounts };
  const environments = componentEnvironments({ ...analyzed, definitions }, env);
  const processEnvironments = components.length > 0 ? new ProcessEnvironments(environments, () => undefined) : null;
  for (const component of components) {
    const definition = definitions[component.path];
    if (!definition) continue;
    const mount = mounts.find((mounted) => mounted.definition === component.path)?.path ?? component.path;
    const source: Source = { ...component, mount };
    const analyzeComponent = async (): Promise<ModulesAnalysis> => analyzeModules(source, await loadModules(source, component.modules));
    analyzed.definitions[component.path] = {
      ...definition,
      ...(await (processEnvironments?.load(mount, analyzeComponent) ?? analyzeComponent())),
    };
  }
  const own = await analyzeModules(app, await loadModules(app, modules), nodeFunctions);
  const authProviders =
    authConfig === null ? [] : await withModuleName(authConfig, async () => providersOf(await importMounted(root, authConfig, APP)));
  return { ...own, authProviders, components: analyzed };
}

async function loadDefinitions(): Promise<{ appDefinition: ComponentDefinition; definitions: Record<string, ComponentDefinition> }> {
  const definitions: Record<string, ComponentDefinition> = {};
  registerHooks({
    resolve(specifier, context, next) {
      const encoded = specifier.startsWith(DEFINITION_IMPORT) ? specifier.slice(DEFINITION_IMPORT.length) : null;
      if (encoded === null) return next(specifier, context);
      const path = Buffer.from(encoded, "base64url").toString();
      const definition = definitions[path];
      if (!definition) throw new Error(`The component ${path} is not part of the push.`);
      const imported = { componentDefinitionPath: path, defaultName: definition.name };
      return { url: `data:text/javascript,${encodeURIComponent(`export default ${JSON.stringify(imported)}`)}`, shortCircuit: true };
    },
  });
  for (const { path, folder } of sortByDependencies(components)) {
    const where = `${path}/convex.config.ts`;
    const { default: exported } = await withModuleName(where, () => importMounted(root, `${folder}/${DEFINITION_FILE}`, APP));
    definitions[path] = readDefinition(where, exported, "childComponent");
  }
  if (!hasDefinition) return { appDefinition: NO_DEFINITION, definitions };
  const where = "convex.config.ts";
  const { default: exported } = await withModuleName(where, () => importMounted(root, DEFINITION_FILE, APP));
  return { appDefinition: readDefinition(where, exported, "app"), definitions };
}

async function loadModules({ folder, mount }: Source, paths: string[]): Promise<Map<string, Exports>> {
  const loaded = new Map<string, Exports>();
  for (const path of paths) loaded.set(path, await withModuleName(path, () => importMounted(root, join(folder, path), mount)));
  return loaded;
}

async function analyzeModules(source: Source, loaded: Map<string, Exports>, others: AnalyzedFunction[] = []): Promise<ModulesAnalysis> {
  const functions = [...others];
  for (const [path, exports] of loaded) functions.push(...(await withModuleName(path, async () => functionsOf(path, exports))));
  const { folder, mount } = source;
  const schemaPath = source.schema;
  return {
    functions: functions.toSorted((a, b) => compare(`${a.module}:${a.name}`, `${b.module}:${b.name}`)),
    httpRoutes: httpRoutesOf(loaded.get("http.js")),
    crons: await withModuleName("crons.js", async () => cronsOf(loaded.get("crons.js"), functions)),
    schema:
      schemaPath === null
        ? null
        : await withModuleName(schemaPath, async () => schemaOf(schemaPath, await importMounted(root, join(folder, schemaPath), mount))),
  };
}

function refuse(): never {
  throw new Error("Convex's database and other services cannot be used while modules are loaded. Use them inside a function.");
}

const withModuleName = <T>(path: string, work: () => Promise<T>): Promise<T> => namedIn(root, path, work);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const port = parentPort;
if (!port) throw new Error("The analyzer must run as a worker thread.");
const answer = (message: AnalyzerAnswer): void => port.postMessage(message);
process.on("unhandledRejection", () => undefined);
analyze().then(
  (analysis) => answer({ ok: true, analysis }),
  (error: unknown) => answer({ ok: false, message: error instanceof Error ? error.message : String(error) }),
);
