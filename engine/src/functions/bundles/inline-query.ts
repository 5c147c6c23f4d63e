import { basename } from "node:path";
import type { Bundle, ModulesAnalysis } from "../types.ts";
import { analyzeBundle } from "./analyze.ts";
import { BundleError } from "./bundle-error.ts";
import { writeBundle } from "./bundle.ts";

const WRAPPERS = "convex:/_system/repl/wrappers.js";
const MODULE = "testQuery.js";
const FUNCTION = "default";

export type InlineQuery = { root: string; module: string; analysis: ModulesAnalysis };

/** Writes and loads the module in a worker thread. @throws {BundleError} unless its default export is a query */
export async function prepareInlineQuery(dir: string, source: string, env: Record<string, string>): Promise<InlineQuery> {
  const text = source.replaceAll(WRAPPERS, new URL("./inline-wrappers.ts", import.meta.url).href);
  const bundle: Bundle = {
    modules: [{ path: MODULE, source: text, environment: "isolate" }],
    schema: null,
    authConfig: null,
    definition: null,
    components: [],
    nodeDependencies: [],
    nodeVersion: null,
  };
  const { functions, httpRoutes, crons, schema } = await analyzeBundle({ dir, bundle, env, nodeSettings: null });
  const query = functions.find(({ name }) => name === FUNCTION);
  if (query?.type !== "query")
    throw new BundleError(`${basename(MODULE)} must export a query as its default: export default query({ … }).`);
  return { root: writeBundle(dir, bundle), module: MODULE, analysis: { functions, httpRoutes, crons, schema } };
}
