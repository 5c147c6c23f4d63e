import { writeBundle } from "./bundle.ts";
import type { LoadedCode } from "./protocol.ts";
import type { Analysis, Bundle } from "./types.ts";

/** Where a bundle lies on disk, which of its files hold functions, and which of these begin with "use node". */
export function codeOnDisk(dir: string, bundle: Bundle, analysis: Analysis): LoadedCode {
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
