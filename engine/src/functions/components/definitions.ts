/** Component definitions (`export()` in `convex/src/server/components/index.ts`) and where an app mounts them. */
import type { Json } from "../../values/types.ts";
import { APP, childPath, type ComponentPath } from "../paths.ts";

export type DefinitionPath = string;

export type EnvironmentBinding = { type: "value"; value: string } | { type: "envVar"; name: string };
export type EnvironmentDeclaration = { validator: Json; optional: boolean };

export type ChildComponent = { name: string; path: DefinitionPath; env: Record<string, EnvironmentBinding> };

export type ComponentDefinition = {
  name: string | null;
  children: ChildComponent[];
  env: Record<string, EnvironmentDeclaration>;
  httpMounts: Record<string, string>;
  httpPrefix: string | null;
};

export type MountedComponent = { path: ComponentPath; definition: DefinitionPath; env: Record<string, EnvironmentBinding> };

export const NO_DEFINITION: ComponentDefinition = { name: null, children: [], env: {}, httpMounts: {}, httpPrefix: null };

const NAME = /^[A-Za-z_]\w*$/;
const MAX_NAME_LENGTH = 64;
const MAX_MOUNTS = 256;

type Exported = {
  definitionType: { type: string; name?: string };
  childComponents: { name: string; path: string; env?: [string, EnvironmentBinding][] | null }[];
  httpMounts?: Record<string, string>;
  httpPrefix?: string;
  envVars?: [string, { value: string; optional?: boolean }][] | null;
};

/** @throws Error with the name of the definition and of the missing part */
export function readDefinition(where: string, exported: unknown, kind: "app" | "childComponent"): ComponentDefinition {
  const builder = kind === "app" ? "defineApp()" : "defineComponent()";
  if (!isDefinition(exported)) throw new Error(`The default export of ${where} must be the result of ${builder}.`);
  const definition: Exported = exported.export();
  if (definition.definitionType.type !== kind) throw new Error(`The default export of ${where} must be the result of ${builder}.`);
  const children = definition.childComponents.map(({ name, path, env }) => ({ name, path, env: Object.fromEntries(env ?? []) }));
  const name = definition.definitionType.name ?? null;
  if (name !== null) checkName(where, name);
  for (const [index, child] of children.entries()) {
    checkName(where, child.name);
    if (children.findIndex((other) => other.name === child.name) !== index)
      throw new Error(`${where} uses two components as "${child.name}": give each its own name with use(component, { name }).`);
  }
  return {
    name,
    children,
    env: Object.fromEntries(
      (definition.envVars ?? []).map(([variable, { value, optional = false }]) => [variable, declaration(value, optional)]),
    ),
    httpMounts: Object.fromEntries(
      Object.entries(definition.httpMounts ?? {}).map(([prefix, reference]) => [prefix, reference.split("/").at(-1) ?? ""]),
    ),
    httpPrefix: definition.httpPrefix ?? null,
  };
}

function declaration(validator: string, optional: boolean): EnvironmentDeclaration {
  return { validator: JSON.parse(validator), optional };
}

function isDefinition(value: unknown): value is { export: () => Exported } {
  return typeof value === "object" && value !== null && "export" in value && typeof value.export === "function";
}

function checkName(where: string, name: string): void {
  if (NAME.test(name) && name.length <= MAX_NAME_LENGTH) return;
  throw new Error(
    `${where} has the component name ${JSON.stringify(name)}: expected at most ${MAX_NAME_LENGTH} letters, digits and underscores, with a letter first.`,
  );
}

/** Returns the definitions so that each follows those it depends on. @throws Error for a cycle or a missing definition */
export function sortByDependencies<T extends { path: DefinitionPath; dependencies: string[] }>(definitions: readonly T[]): T[] {
  const byPath = new Map(definitions.map((definition) => [definition.path, definition]));
  const ordered = new Set<T>();
  const visit = (path: DefinitionPath, above: DefinitionPath[]): void => {
    const definition = byPath.get(path);
    if (!definition) throw new Error(`The component ${path} is used by ${above.at(-1) ?? "the app"}, but is not part of the push.`);
    if (above.includes(path)) throw new Error(`Components use each other in a cycle: ${[...above, path].join(" → ")}.`);
    if (ordered.has(definition)) return;
    for (const dependency of definition.dependencies) visit(dependency, [...above, path]);
    ordered.add(definition);
  };
  for (const { path } of definitions) visit(path, []);
  return [...ordered];
}

export function mountedComponents(
  app: ComponentDefinition,
  definitions: Readonly<Record<DefinitionPath, ComponentDefinition>>,
): MountedComponent[] {
  const mounted: MountedComponent[] = [];
  const mount = (parent: ComponentPath, { children }: ComponentDefinition): void => {
    for (const { name, path: definition, env } of children) {
      const path = childPath(parent, name);
      if (mounted.push({ path, definition, env }) > MAX_MOUNTS)
        throw new Error(`An app can have at most ${MAX_MOUNTS} mounted components.`);
      const child = definitions[definition];
      if (!child) throw new Error(`The component ${definition}, used as "${path}", is not part of the push.`);
      mount(path, child);
    }
  };
  mount(APP, app);
  return mounted;
}
