import { writeBundle } from "./bundle.ts";
import type { LoadedCode } from "../transactor/transactor-protocol.ts";
import type { Analysis, Bundle } from "../types.ts";

export function openModuleStore(dir: string, bundle: Bundle, analysis: Analysis): LoadedCode {
  const named = new Set(analysis.functions.map(({ module }) => `${module}.js`));
  if (analysis.httpRoutes.length > 0) named.add("http.js");
  const modules = bundle.modules.filter(({ path }) => named.has(path));
  return {
    root: writeBundle(dir, bundle),
    modules: modules.map(({ path }) => path),
    nodeModules: modules.filter(({ environment }) => environment === "node").map(({ path }) => path),
    analysis,
  };
}
