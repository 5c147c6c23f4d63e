import { BundleError } from "../bundles/bundle-error.ts";
import type { AnalyzedFunction, Bundle } from "../types.ts";
import { checkExternalPackages } from "./external-packages.ts";
import type { NodeAnalyzerAnswer, NodeAnalyzerData } from "./node-analyzer.ts";
import { NodeProcess, type NodeSettings } from "./node-process.ts";

const TIME_LIMIT_MS = 30_000;

type Options = {
  dir: string;
  root: string;
  bundle: Bundle;
  nodeModules: string[];
  env: Record<string, string>;
  nodeSettings: NodeSettings;
};

/** Loads modules of "use node" files in a process of their own. @throws {BundleError} with the module's name and error */
export async function analyzeNodeModules({ dir, root, bundle, nodeModules, env, nodeSettings }: Options): Promise<AnalyzedFunction[]> {
  checkExternalPackages(bundle.nodeDependencies, nodeSettings.nodeModules);
  const { promise, resolve, reject } = Promise.withResolvers<NodeAnalyzerAnswer>();
  const timer = setTimeout(() => reject(new BundleError(`Loading the "use node" modules took too long.`)), TIME_LIMIT_MS);
  const child = new NodeProcess({
    dir,
    entry: new URL("./node-analyzer.ts", import.meta.url),
    code: { root, packages: bundle.nodeDependencies.map(({ name }) => name) },
    env,
    settings: nodeSettings,
    data: { modules: nodeModules } satisfies NodeAnalyzerData,
    onMessage: (message) => resolve(message as NodeAnalyzerAnswer),
  });
  void child.exited.then(({ errors }) => reject(new BundleError(`A "use node" module ended the process that loaded it. ${errors}`.trim())));
  try {
    const answer = await promise;
    if (!answer.ok) throw new BundleError(answer.message);
    return answer.functions;
  } finally {
    clearTimeout(timer);
    await child.end();
  }
}
