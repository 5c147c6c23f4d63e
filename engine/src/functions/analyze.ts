import type { AnalyzerAnswer, AnalyzerData } from "./analyzer.ts";
import { writeBundle } from "./bundle.ts";
import { startThread } from "./thread.ts";
import type { Analysis, Bundle } from "./types.ts";

/** Loading all modules of an app takes well under a second; an endless loop at the top of one must not hold a push for ever. */
const TIME_LIMIT_MS = 30_000;
const HEAP_MIB = 512;

/** Files of a bundle that define something other than functions. */
const CONFIGURATION = new Set(["schema.js", "auth.config.js", "convex.config.js"]);

/** @throws Error with the module's name and the error that it threw, as the command line prints it. */
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
  const worker = startThread(dir, new URL("./analyzer.ts", import.meta.url), data, {
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
  });
  const { promise, resolve, reject } = Promise.withResolvers<AnalyzerAnswer>();
  const timer = setTimeout(() => reject(new Error("Loading the pushed modules took too long.")), TIME_LIMIT_MS);
  worker.on("message", resolve);
  worker.on("error", reject);
  worker.on("exit", () => reject(new Error("A pushed module ended the thread that loaded it.")));
  try {
    const answer = await promise;
    if (!answer.ok) throw new Error(answer.message);
    return answer.analysis;
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
