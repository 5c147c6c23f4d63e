/** Push responses (`convex/src/cli/lib/deployApi/{startPush,finishPush,evaluateSchema}.ts`) of a single component with path "". */
import { readProvider } from "../auth/providers.ts";
import type { Analysis, AnalyzedFunction, Push, SchemaChange } from "../functions/types.ts";
import type { Json } from "../values/types.ts";

type Fields = { [key: string]: Json };

const ROOT = "";
const TYPE_NAMES: Partial<Record<AnalyzedFunction["type"], string>> = { query: "Query", mutation: "Mutation", action: "Action" };

export function startPushResponse(options: {
  pushId: string;
  analysis: Analysis;
  change: SchemaChange;
  environment: Record<string, string>;
  serverVersion: string;
}): Fields {
  const { pushId, analysis, change, environment, serverVersion } = options;
  return {
    environmentVariables: environment,
    externalDepsId: null,
    componentDefinitionPackages: {},
    appAuth: analysis.authProviders.map(readProvider),
    analysis: {
      [ROOT]: {
        definition: {
          path: ROOT,
          definitionType: { type: "app" },
          childComponents: [],
          httpMounts: {},
          exports: { type: "branch", branch: [] },
        },
        schema: analysis.schema,
        functions: analyzedModules(analysis),
        udfConfig: { serverVersion, importPhaseRngSeed: null, importPhaseUnixTimestamp: null },
      },
    },
    app: {
      definitionPath: ROOT,
      componentPath: ROOT,
      args: {},
      childComponents: {},
      httpRoutes: { httpModuleRoutes: analysis.httpRoutes.length > 0 ? analysis.httpRoutes : null, mounts: [] },
      exports: {},
    },
    schemaChange: schemaChange(pushId, change),
  };
}

export function schemaChange(pushId: string, change: SchemaChange): Fields {
  return { allocatedComponentIds: {}, schemaIds: { [ROOT]: pushId }, indexDiffs: { [ROOT]: indexDiff(change) } };
}

export function finishPushResponse(before: Push | null, after: Push, change: SchemaChange): Fields {
  return {
    authDiff: diff(before?.analysis.authProviders.map(describe) ?? [], after.analysis.authProviders.map(describe)),
    definitionDiffs: {},
    componentDiffs: {
      [ROOT]: {
        diffType: { type: "modify" },
        moduleDiff: diff(
          before?.bundle.modules.map(({ path }) => path) ?? [],
          after.bundle.modules.map(({ path }) => path),
        ),
        udfConfigDiff: null,
        cronDiff: { ...cronDiff(before?.analysis.crons ?? {}, after.analysis.crons) },
        indexDiff: indexDiff(change),
        schemaDiff: null,
      },
    },
  };
}

export function evaluateSchemaResponse(change: SchemaChange, sizes: ReadonlyMap<string, number>): Fields {
  const predict = (indexes: SchemaChange["indexesAdded"], kind: "added" | "dropped") =>
    indexes.map((index): Fields => ({
      ...indexConfig(index),
      change: kind,
      needsBackfill: kind === "added",
      numDocs: sizes.get(index.table) ?? 0,
    }));
  const indexes = [...predict(change.indexesAdded, "added"), ...predict(change.indexesRemoved, "dropped")];
  return {
    componentSchemaEvaluations: { [ROOT]: { definitionPath: ROOT, schemaValidation: true, tables: [], indexes } },
    newComponentDefinitions: [],
  };
}

function analyzedModules(analysis: Analysis): { [path: string]: Fields } {
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

function indexDiff({ indexesAdded, indexesRemoved }: SchemaChange): Fields {
  return {
    added_indexes: indexesAdded.map(indexConfig),
    removed_indexes: indexesRemoved.map(indexConfig),
    enabled_indexes: [],
    disabled_indexes: [],
  };
}

const indexConfig = ({ table, name, fields }: SchemaChange["indexesAdded"][number]): Fields => ({
  type: "database",
  name: `${table}.${name}`,
  fields,
});

function diff(before: string[], after: string[]): { added: string[]; removed: string[] } {
  return { added: after.filter((entry) => !before.includes(entry)), removed: before.filter((entry) => !after.includes(entry)) };
}

function cronDiff(before: Analysis["crons"], after: Analysis["crons"]) {
  const { added, removed } = diff(Object.keys(before), Object.keys(after));
  const updated = Object.keys(after).filter((name) => before[name] && JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return { added, updated, deleted: removed };
}

const describe = (provider: Json): string => JSON.stringify(provider);
