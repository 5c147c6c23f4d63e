import { componentFolder, writeBundle } from "./bundle.ts";
import type { LoadedCode, LoadedComponent } from "../transactor/transactor-protocol.ts";
import type { Analysis, Bundle, BundledModule, ModulesAnalysis } from "../types.ts";

export function openModuleStore(dir: string, bundle: Bundle, analysis: Analysis): LoadedCode {
  const modules = loadedModules(bundle.modules, analysis);
  return {
    root: writeBundle(dir, bundle),
    modules: modules.map(({ path }) => path),
    nodeModules: modules.filter(({ environment }) => environment === "node").map(({ path }) => path),
    packages: bundle.nodeDependencies.map(({ name }) => name),
    components: loadedComponents(bundle, analysis),
    analysis,
  };
}

function loadedComponents({ components }: Bundle, { components: { definitions, mounts } }: Analysis): LoadedComponent[] {
  return mounts.flatMap(({ path, definition }) => {
    const index = components.findIndex((component) => component.path === definition);
    const bundle = components[index];
    const analysis = definitions[definition];
    if (!bundle || !analysis) return [];
    const modules = loadedModules(bundle.modules, analysis).map((module) => module.path);
    return [{ path, definition, folder: componentFolder(index), modules }];
  });
}

function loadedModules(modules: BundledModule[], { functions, httpRoutes }: ModulesAnalysis): BundledModule[] {
  const named = new Set(functions.map(({ module }) => `${module}.js`));
  if (httpRoutes.length > 0) named.add("http.js");
  return modules.filter(({ path }) => named.has(path));
}
