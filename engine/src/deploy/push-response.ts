/** Push responses (`convex/src/cli/lib/deployApi/{startPush,finishPush,evaluateSchema}.ts`). The app is the component with path "". */
import { readProvider } from "../auth/providers.ts";
import { APP, nameIn, type ComponentPath } from "../functions/paths.ts";
import type { Analysis, ModulesAnalysis, Push, SchemaChange } from "../functions/types.ts";
import type { Json } from "../values/types.ts";
import { checkedComponent, evaluatedDefinition } from "./component-response.ts";

type Fields = { [key: string]: Json };

export const NO_CHANGE: SchemaChange = { indexesAdded: [], indexesRemoved: [], indexesEnabled: [], indexesDisabled: [] };

export type SchemaChanges = ReadonlyMap<ComponentPath, SchemaChange>;

export function startPushResponse(options: {
  pushId: string;
  analysis: Analysis;
  changes: SchemaChanges;
  environment: Record<string, string>;
  serverVersion: string;
}): Fields {
  const { pushId, analysis, changes, environment, serverVersion } = options;
  const { app, definitions } = analysis.components;
  const udfConfig = { serverVersion, importPhaseRngSeed: null, importPhaseUnixTimestamp: null };
  return {
    environmentVariables: environment,
    externalDepsId: null,
    componentDefinitionPackages: {},
    appAuth: analysis.authProviders.map(readProvider),
    analysis: Object.fromEntries([
      [APP, { ...evaluatedDefinition(APP, app, analysis), udfConfig }],
      ...Object.entries(definitions).map(([path, component]) => [path, { ...evaluatedDefinition(path, component, component), udfConfig }]),
    ]),
    app: checkedComponent(analysis, APP, APP),
    schemaChange: schemaChange(pushId, changes),
  };
}

export function schemaChange(pushId: string, changes: SchemaChanges): Fields {
  const components = [...changes];
  return {
    allocatedComponentIds: {},
    schemaIds: Object.fromEntries(components.map(([path]) => [path, pushId])),
    indexDiffs: Object.fromEntries(components.map(([path, change]) => [path, indexDiff(change)])),
  };
}

/** `stored`: the paths of components with tables. Those that were not mounted before were unmounted by an earlier push. */
export function finishPushResponse(before: Push | null, after: Push, changes: SchemaChanges, stored: readonly ComponentPath[]): Fields {
  const previous = mountsOf(before);
  const next = mountsOf(after);
  const diffType = (path: ComponentPath): string => {
    if (!next.has(path)) return "unmount";
    if (previous.has(path) || path === APP) return "modify";
    return stored.includes(path) ? "remount" : "create";
  };
  const componentDiffs = [...new Set([...previous.keys(), ...next.keys()])].map((path): [string, Fields] => [
    path,
    {
      diffType: { type: diffType(path) },
      moduleDiff: diff(previous.get(path)?.modules ?? [], next.get(path)?.modules ?? []),
      udfConfigDiff: null,
      cronDiff: { ...cronDiff(previous.get(path)?.crons ?? {}, next.get(path)?.crons ?? {}) },
      indexDiff: indexDiff(changes.get(path) ?? NO_CHANGE),
      schemaDiff: null,
    },
  ]);
  return {
    authDiff: diff(before?.analysis.authProviders.map(describe) ?? [], after.analysis.authProviders.map(describe)),
    definitionDiffs: {},
    componentDiffs: Object.fromEntries(componentDiffs),
  };
}

type Mounted = { modules: string[]; crons: ModulesAnalysis["crons"] };

function mountsOf(push: Push | null): Map<ComponentPath, Mounted> {
  const mounted = new Map<ComponentPath, Mounted>();
  if (!push) return mounted;
  const { bundle, analysis } = push;
  const paths = (modules: { path: string }[]): string[] => modules.map(({ path }) => path);
  mounted.set(APP, { modules: paths(bundle.modules), crons: analysis.crons });
  for (const { path, definition } of analysis.components.mounts) {
    const component = bundle.components.find((each) => each.path === definition);
    mounted.set(path, { modules: paths(component?.modules ?? []), crons: analysis.components.definitions[definition]?.crons ?? {} });
  }
  return mounted;
}

export function evaluateSchemaResponse(analysis: Analysis, changes: SchemaChanges, sizes: ReadonlyMap<string, number>): Fields {
  const predict = (component: ComponentPath, indexes: SchemaChange["indexesAdded"], kind: "added" | "dropped" | "enabled" | "disabled") =>
    indexes.map((index): Fields => ({
      ...indexConfig(index),
      change: kind,
      needsBackfill: kind === "added",
      numDocs: sizes.get(nameIn(component, index.table)) ?? 0,
    }));
  const definitionOf = (component: ComponentPath): string =>
    analysis.components.mounts.find(({ path }) => path === component)?.definition ?? APP;
  const evaluations = [...changes].map(([component, change]): [string, Fields] => {
    const indexes = [
      ...predict(component, change.indexesAdded, "added"),
      ...predict(component, change.indexesRemoved, "dropped"),
      ...predict(component, change.indexesEnabled, "enabled"),
      ...predict(component, change.indexesDisabled, "disabled"),
    ];
    return [component, { definitionPath: definitionOf(component), schemaValidation: true, tables: [], indexes }];
  });
  return { componentSchemaEvaluations: Object.fromEntries(evaluations), newComponentDefinitions: [] };
}

function indexDiff({ indexesAdded, indexesRemoved, indexesEnabled, indexesDisabled }: SchemaChange): Fields {
  return {
    added_indexes: indexesAdded.map(indexConfig),
    removed_indexes: indexesRemoved.map(indexConfig),
    enabled_indexes: indexesEnabled.map(indexConfig),
    disabled_indexes: indexesDisabled.map(indexConfig),
  };
}

const indexConfig = ({ table, name, ...definition }: SchemaChange["indexesAdded"][number]): Fields => ({
  ...definition,
  name: `${table}.${name}`,
});

function diff(before: string[], after: string[]): { added: string[]; removed: string[] } {
  return { added: after.filter((entry) => !before.includes(entry)), removed: before.filter((entry) => !after.includes(entry)) };
}

function cronDiff(before: ModulesAnalysis["crons"], after: ModulesAnalysis["crons"]) {
  const { added, removed } = diff(Object.keys(before), Object.keys(after));
  const updated = Object.keys(after).filter((name) => before[name] && JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return { added, updated, deleted: removed };
}

const describe = (provider: Json): string => JSON.stringify(provider);
