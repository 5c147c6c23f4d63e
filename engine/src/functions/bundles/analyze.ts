import { checkProviders } from "../../auth/providers.ts";
import type { AnalyzerAnswer, AnalyzerData } from "./analyzer-worker.ts";
import { writeBundle } from "./bundle.ts";
import { startThread } from "../thread.ts";
import type { Analysis, Bundle } from "../types.ts";

const TIME_LIMIT_MS = 30_000;
const HEAP_MIB = 512;

const CONFIGURATION = new Set(["schema.js", "auth.config.js", "convex.config.js"]);

export class BundleError extends Error {}

/** @throws BundleError with the module's name and error, or for an unusable auth provider */
export async function analyzeBundle(dir: string, bundle: Bundle, env: Record<string, string>): Promise<Analysis> {
  const functionModules = bundle.modules.filter(({ path }) => !path.startsWith("_deps/") && !CONFIGURATION.has(path));
  const paths = (environment: "isolate" | "node"): string[] =>
    functionModules.filter((module) => module.environment === environment).map(({ path }) => path);
  const data: AnalyzerData = {
    root: writeBundle(dir, bundle),
    modules: paths("isolate"),
    nodeModules: paths("node"),
    schema: bundle.schema?.path ?? null,
    authConfig: bundle.authConfig?.path ?? null,
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

function checkAuthConfig({ authProviders }: Analysis): void {
  try {
    checkProviders(authProviders);
  } catch (error) {
    throw new BundleError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
