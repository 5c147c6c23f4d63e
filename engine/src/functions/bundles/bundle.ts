/** Stored in the database, so that code, schema and settings change in one commit. DIR/modules is a cache for Node's loader. */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { hrtime, pid } from "node:process";
import type { Settings } from "../../transaction/types.ts";
import { NO_DEFINITION } from "../components/definitions.ts";
import type { Analysis, Bundle, BundledModule, ComponentBundle, NodeDependency } from "../types.ts";

const MANIFEST = "code";
const SOURCES = "module/";

type ManifestModule = { path: string; source: string; sourceMap: string | null; environment: "isolate" | "node" };
type ManifestComponent = Omit<ComponentBundle, "definition" | "schema" | "modules"> & {
  definition: ManifestModule;
  schema: ManifestModule | null;
  modules: ManifestModule[];
};
/** The optional fields are missing in manifests of versions without components or Node.js actions. */
type Manifest = {
  modules: ManifestModule[];
  schema: ManifestModule | null;
  authConfig: ManifestModule | null;
  definition?: ManifestModule | null;
  components?: ManifestComponent[];
  nodeDependencies?: NodeDependency[];
  nodeVersion?: string | null;
  analysis: Omit<Analysis, "components"> & Partial<Pick<Analysis, "components">>;
};

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

function bundleHash(bundle: Bundle): string {
  const hash = createHash("sha256");
  for (const [file, module] of filesOf(bundle)) {
    hash.update(JSON.stringify([file, module.environment, sha256(module.source), sha256(module.sourceMap ?? "")]));
  }
  return hash.digest("hex").slice(0, 32);
}

/** Name of the file with the definition of the app or of a component. "@" cannot occur in the path of a pushed module. */
export const DEFINITION_FILE = "@definition.js";

export const componentFolder = (index: number): string => `@components/${index}`;

function filesOf(bundle: Bundle): [file: string, BundledModule][] {
  const files = new Map<string, BundledModule>();
  const add = (folder: string, modules: (BundledModule | null)[], definition: BundledModule | null): void => {
    for (const module of modules) if (module && !files.has(folder + module.path)) files.set(folder + module.path, module);
    if (definition) files.set(folder + DEFINITION_FILE, definition);
  };
  add("", [...bundle.modules, bundle.schema, bundle.authConfig], bundle.definition);
  for (const [index, { modules, schema, definition }] of bundle.components.entries())
    add(`${componentFolder(index)}/`, [...modules, schema], definition);
  return [...files].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** Roots whose files this thread has compared with their bundle. */
const comparedRoots = new Set<string>();

export function writeBundle(dir: string, bundle: Bundle): string {
  const root = join(resolve(dir), "modules", bundleHash(bundle));
  if (comparedRoots.has(root) && existsSync(root)) return root;
  const contents = contentsOf(bundle);
  // A power loss can leave the folder without the contents of its files.
  if (!hasContents(root, contents)) {
    const building = `${root}.${pid}.${hrtime.bigint()}`;
    for (const [path, content] of contents) {
      const file = join(building, path);
      if (!file.startsWith(building + sep)) throw new Error(`Module path ${JSON.stringify(path)} is outside its folder.`);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
    }
    // Another thread may have written it meanwhile.
    if (hasContents(root, contents)) {
      rmSync(building, { recursive: true });
    } else {
      rmSync(root, { recursive: true, force: true });
      renameSync(building, root);
    }
  }
  comparedRoots.add(root);
  return root;
}

function contentsOf(bundle: Bundle): [file: string, content: string][] {
  const contents = filesOf(bundle).flatMap(([file, { source, sourceMap }]): [string, string][] => [
    [file, source],
    ...(sourceMap ? [[`${file}.map`, sourceMap] satisfies [string, string]] : []),
  ]);
  return [...contents, ["package.json", '{"type":"module"}']];
}

function hasContents(root: string, contents: [file: string, content: string][]): boolean {
  if (!existsSync(root)) return false;
  return contents.every(([file, content]) => {
    try {
      return readFileSync(join(root, file)).equals(Buffer.from(content));
    } catch {
      return false;
    }
  });
}

export function sweepBundles(dir: string, keep: string | null): void {
  const folder = join(resolve(dir), "modules");
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    if (join(folder, name) !== keep) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

export function saveCode(settings: Settings, bundle: Bundle, analysis: Analysis): void {
  const written = new Set<string>();
  const storeText = (text: string): string => {
    const name = sha256(text);
    written.add(name);
    if (settings.get(SOURCES + name) === undefined) settings.set(SOURCES + name, text);
    return name;
  };
  const entry = (module: BundledModule): ManifestModule => ({
    path: module.path,
    environment: module.environment,
    source: storeText(module.source),
    sourceMap: module.sourceMap ? storeText(module.sourceMap) : null,
  });
  const manifest: Manifest = {
    modules: bundle.modules.map(entry),
    schema: bundle.schema && entry(bundle.schema),
    authConfig: bundle.authConfig && entry(bundle.authConfig),
    definition: bundle.definition && entry(bundle.definition),
    components: bundle.components.map(({ path, dependencies, definition, schema, modules }) => ({
      path,
      dependencies,
      definition: entry(definition),
      schema: schema && entry(schema),
      modules: modules.map(entry),
    })),
    nodeDependencies: bundle.nodeDependencies,
    nodeVersion: bundle.nodeVersion,
    analysis,
  };
  settings.set(MANIFEST, JSON.stringify(manifest));
  for (const { name } of settings.list(SOURCES)) if (!written.has(name.slice(SOURCES.length))) settings.delete(name);
}

/** @throws {Error} when a text is missing or does not match its sha256 */
export function loadCode(settings: Settings): { bundle: Bundle; analysis: Analysis } | null {
  const text = settings.get(MANIFEST);
  if (text === undefined) return null;
  const manifest: Manifest = JSON.parse(text);
  const textOf = (hash: string, what: string): string => {
    const text = settings.get(SOURCES + hash);
    if (text === undefined) throw new Error(`${what} is missing from the database.`);
    if (sha256(text) !== hash) throw new Error(`${what} does not match its sha256.`);
    return text;
  };
  const read = ({ path, environment, source, sourceMap }: ManifestModule): BundledModule => ({
    path,
    source: textOf(source, `The source of module ${path}`),
    sourceMap: sourceMap === null ? undefined : textOf(sourceMap, `The source map of module ${path}`),
    environment,
  });
  return {
    bundle: {
      modules: manifest.modules.map(read),
      schema: manifest.schema && read(manifest.schema),
      authConfig: manifest.authConfig && read(manifest.authConfig),
      definition: manifest.definition ? read(manifest.definition) : null,
      components: (manifest.components ?? []).map(({ path, dependencies, definition, schema, modules }) => ({
        path,
        dependencies,
        definition: read(definition),
        schema: schema && read(schema),
        modules: modules.map(read),
      })),
      nodeDependencies: manifest.nodeDependencies ?? [],
      nodeVersion: manifest.nodeVersion ?? null,
    },
    analysis: { components: { app: NO_DEFINITION, definitions: {}, mounts: [] }, ...manifest.analysis },
  };
}

export function saveAuthProviders(settings: Settings, providers: Analysis["authProviders"]): void {
  const text = settings.get(MANIFEST);
  if (text === undefined) return;
  const manifest: Manifest = JSON.parse(text);
  settings.set(MANIFEST, JSON.stringify({ ...manifest, analysis: { ...manifest.analysis, authProviders: providers } }));
}
