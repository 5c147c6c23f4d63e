import { checkProviders } from "../../auth/providers.ts";
import type { AnalyzerAnswer, AnalyzerData } from "./analyzer-worker.ts";
import { componentFolder, writeBundle } from "./bundle.ts";
import { startThread } from "../thread.ts";
import type { Analysis, Bundle, BundledModule } from "../types.ts";
import { analyzeNodeModules } from "../node/analyze-node-modules.ts";
import type { NodeSettings } from "../node/node-process.ts";
import { BundleError } from "./bundle-error.ts";

const TIME_LIMIT_MS = 30_000;
const HEAP_MIB = 512;

const CONFIGURATION = new Set(["schema.js", "auth.config.js", "convex.config.js"]);

/** `nodeSettings`: null for code without "use node" files. */
type Options = { dir: string; bundle: Bundle; env: Record<string, string>; nodeSettings: NodeSettings | null };

/** @throws {BundleError} with the module's name and error, or for an unusable auth provider */
export async function analyzeBundle({ dir, bundle, env, nodeSettings }: Options): Promise<Analysis> {
  const root = writeBundle(dir, bundle);
  const nodeModules = functionModules(bundle.modules, "node");
  const data: AnalyzerData = {
    root,
    modules: functionModules(bundle.modules, "isolate"),
    nodeFunctions:
      nodeSettings && nodeModules.length > 0 ? await analyzeNodeModules({ dir, root, bundle, nodeModules, env, nodeSettings }) : [],
    schema: bundle.schema?.path ?? null,
    authConfig: bundle.authConfig?.path ?? null,
    hasDefinition: bundle.definition !== null,
    components: bundle.components.map(({ path, dependencies, schema, modules }, index) => ({
      path,
      dependencies,
      folder: componentFolder(index),
      schema: schema?.path ?? null,
      modules: functionModules(modules, "isolate"),
    })),
    env,
  };
  const worker = startThread(dir, new URL("./analyzer-worker.ts", import.meta.url), data, {
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
  });
  const { promise, resolve, reject } = Promise.withResolvers<AnalyzerAnswer>();
  const timer = setTimeout(() => reject(new BundleError("Loading the modules took too long.")), TIME_LIMIT_MS);
  worker.on("message", resolve);
  worker.on("error", (error) => reject(new BundleError(error instanceof Error ? error.message : String(error), { cause: error })));
  worker.on("exit", () => reject(new BundleError("A module ended the thread that loaded it.")));
  try {
    const answer = await promise;
    if (!answer.ok) throw new BundleError(answer.message);
    checkAuthConfig(answer.analysis);
    return answer.analysis;
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}

function functionModules(modules: BundledModule[], environment: "isolate" | "node"): string[] {
  return modules
    .filter((module) => module.environment === environment && !module.path.startsWith("_deps/") && !CONFIGURATION.has(module.path))
    .map(({ path }) => path);
}

function checkAuthConfig({ authProviders }: Analysis): void {
  try {
    checkProviders(authProviders);
  } catch (error) {
    throw new BundleError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
