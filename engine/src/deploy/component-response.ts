/** Definitions and mounted components in push responses (`convex/src/cli/lib/deployApi/{componentDefinition,checkedComponent}.ts`). */
import type { ComponentDefinition, DefinitionPath } from "../functions/components/definitions.ts";
import { APP, childPath, type ComponentPath } from "../functions/paths.ts";
import type { Analysis, AnalyzedFunction, ModulesAnalysis } from "../functions/types.ts";
import type { Json } from "../values/types.ts";

type Fields = { [key: string]: Json };

const TYPE_NAMES: Partial<Record<AnalyzedFunction["type"], string>> = { query: "Query", mutation: "Mutation", action: "Action" };

export function evaluatedDefinition(path: DefinitionPath, definition: ComponentDefinition, analysis: ModulesAnalysis): Fields {
  const { name, children, env, httpMounts, httpPrefix } = definition;
  return {
    definition: {
      path,
      definitionType:
        name === null ? { type: "app", ...(httpPrefix !== null && { httpPrefix }) } : { type: "childComponent", name, args: [] },
      childComponents: children.map((child): Fields => ({
        name: child.name,
        path: child.path,
        args: [],
        env: Object.entries(child.env).map(([variable, binding]) => [variable, { ...binding }]),
      })),
      httpMounts: Object.fromEntries(Object.entries(httpMounts).map(([prefix, child]) => [prefix, `_reference/childComponent/${child}`])),
      exports: name === null ? { type: "branch", branch: [] } : exportTree(analysis.functions),
      envVars: Object.entries(env).map(([variable, { validator, optional }]) => [
        variable,
        { type: "value", value: JSON.stringify(validator), optional },
      ]),
    },
    schema: analysis.schema,
    functions: analyzedModules(analysis),
  };
}

export function modulesOf(analysis: Analysis | null, component: ComponentPath): ModulesAnalysis | null {
  if (component === APP) return analysis;
  const mount = analysis?.components.mounts.find(({ path }) => path === component);
  return (mount && analysis?.components.definitions[mount.definition]) ?? null;
}

export function checkedComponent(analysis: Analysis, componentPath: ComponentPath, definitionPath: DefinitionPath): Fields {
  const { app, definitions } = analysis.components;
  const definition = componentPath === APP ? app : definitions[definitionPath];
  const modules: ModulesAnalysis | undefined = componentPath === APP ? analysis : definitions[definitionPath];
  const children = definition?.children ?? [];
  return {
    definitionPath,
    componentPath,
    args: {},
    childComponents: Object.fromEntries(
      children.map(({ name, path }) => [name, checkedComponent(analysis, childPath(componentPath, name), path)]),
    ),
    httpRoutes: {
      httpModuleRoutes: modules && modules.httpRoutes.length > 0 ? modules.httpRoutes : null,
      mounts: Object.keys(definition?.httpMounts ?? {}),
    },
    exports: {},
  };
}

type Tree = { [name: string]: Tree | string };

function exportTree(functions: AnalyzedFunction[]): Fields {
  const tree: Tree = {};
  for (const { module, name, type, visibility } of functions) {
    if (visibility !== "public" || type === "httpAction") continue;
    let branch = tree;
    for (const part of module.split("/")) {
      const next = (branch[part] ??= {});
      if (typeof next === "string") throw new Error(`${module} has the same name as a function.`);
      branch = next;
    }
    branch[name] = `_reference/function/${module}:${name}`;
  }
  return branchOf(tree);
}

const branchOf = (tree: Tree): Fields => ({
  type: "branch",
  branch: Object.entries(tree).map(([name, node]) => [name, typeof node === "string" ? { type: "leaf", leaf: node } : branchOf(node)]),
});

function analyzedModules(analysis: ModulesAnalysis): { [path: string]: Fields } {
  const modules: { [path: string]: { functions: Json[]; httpRoutes: Json; cronSpecs: Json; sourceMapped: Json } } = {};
  const moduleAt = (path: string) => (modules[path] ??= { functions: [], httpRoutes: null, cronSpecs: null, sourceMapped: null });
  for (const { module, name, type, visibility, args, returns } of analysis.functions) {
    const udfType = TYPE_NAMES[type];
    if (udfType === undefined) continue;
    moduleAt(moduleFile(module)).functions.push({
      name,
      pos: null,
      udfType,
      visibility: { kind: visibility },
      args: args === null ? null : JSON.stringify(args),
      returns: returns === null ? null : JSON.stringify(returns),
    });
  }
  if (analysis.httpRoutes.length > 0) moduleAt("http.js").httpRoutes = analysis.httpRoutes;
  return modules;
}

export const moduleFile = (module: string): string => (module.endsWith(".js") ? module : `${module}.js`);
