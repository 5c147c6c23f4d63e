/** Bundles like the official command line (`innerEsbuild` in `src/bundler/debugBundle.ts` of the client package). */
import { resolve } from "node:path";
import { build, type Plugin } from "esbuild";
import type { Bundle, BundledModule, ComponentBundle, NodeDependency } from "../types.ts";

export type ComponentSources = Record<string, { files: Record<string, string>; dependencies?: string[] }>;

const DEFINITION = "convex.config.ts";

/** Bundles an app and its components. As from the command line, imports of components are "./_componentDeps/" and a base64url path. */
export async function bundleSources(
  { [DEFINITION]: definition, ...files }: Record<string, string>,
  components: ComponentSources = {},
  nodeDependencies: NodeDependency[] = [],
): Promise<Bundle> {
  return {
    ...(await bundleFunctions(files, nodeDependencies)),
    definition: definition === undefined ? null : await bundleDefinition(definition),
    components: await Promise.all(
      Object.entries(components).map(async ([path, { files: sources, dependencies = [] }]): Promise<ComponentBundle> => {
        const { [DEFINITION]: own = "", ...functions } = sources;
        const { modules, schema } = await bundleFunctions(functions);
        return { path, dependencies, definition: await bundleDefinition(own), modules, schema };
      }),
    ),
    nodeDependencies,
    nodeVersion: null,
  };
}

export const componentImport = (path: string): string => `./_componentDeps/${Buffer.from(path).toString("base64url")}`;

async function bundleDefinition(source: string): Promise<BundledModule> {
  const [module] = await esbuild({ [DEFINITION]: source }, [DEFINITION], "isolate");
  if (!module) throw new Error("The definition has no output.");
  return module;
}

async function bundleFunctions(
  files: Record<string, string>,
  external: NodeDependency[] = [],
): Promise<Pick<Bundle, "modules" | "schema" | "authConfig">> {
  const names = Object.keys(files);
  const node = names.filter((name) => /^["']use node["']/.test(files[name] ?? ""));
  const isolate = names.filter((name) => !node.includes(name));
  const modules = [...(await esbuild(files, isolate, "isolate")), ...(await esbuild(files, node, "node", external))];
  const find = (path: string): BundledModule | null => modules.find((module) => module.path === path) ?? null;
  return { modules: modules.filter(({ path }) => path !== "schema.js"), schema: find("schema.js"), authConfig: find("auth.config.js") };
}

async function esbuild(
  files: Record<string, string>,
  entryPoints: string[],
  environment: "isolate" | "node",
  external: NodeDependency[] = [],
): Promise<BundledModule[]> {
  if (entryPoints.length === 0) return [];
  const result = await build({
    entryPoints: entryPoints.map((name) => `convex/${name}`),
    bundle: true,
    external: external.map(({ name }) => name),
    platform: environment === "node" ? "node" : "browser",
    format: "esm",
    target: "esnext",
    outdir: "out",
    outbase: "convex",
    conditions: ["convex", "module"],
    plugins: [inMemory(files)],
    write: false,
    sourcemap: true,
    splitting: true,
    chunkNames: `${environment === "node" ? "_deps/node" : "_deps"}/[hash]`,
    treeShaking: true,
    minifySyntax: true,
    minifyIdentifiers: true,
    keepNames: true,
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "silent",
  });
  const out = resolve("out");
  const texts = new Map(result.outputFiles.map((file) => [file.path.slice(out.length + 1), file.text]));
  return [...texts]
    .filter(([path]) => path.endsWith(".js"))
    .map(([path, source]) => ({ path, source, sourceMap: texts.get(`${path}.map`), environment }));
}

function inMemory(files: Record<string, string>): Plugin {
  return {
    name: "in-memory",
    setup(esbuild) {
      esbuild.onResolve({ filter: /^convex\// }, ({ path, kind }) =>
        kind === "entry-point" ? { path: resolve(path), namespace: "file" } : undefined,
      );
      esbuild.onResolve({ filter: /^\.\/_componentDeps\// }, ({ path }) => ({ path, external: true }));
      esbuild.onResolve({ filter: /^\.\// }, ({ path, importer }) => {
        const name = `${path.slice(2)}.ts`;
        return name in files && importer.startsWith(resolve("convex")) ? { path: resolve("convex", name) } : undefined;
      });
      esbuild.onLoad({ filter: /.*/ }, ({ path }) => {
        const name = path.slice(resolve("convex").length + 1);
        return path.startsWith(resolve("convex")) && name in files
          ? { contents: files[name] ?? "", loader: "ts", resolveDir: resolve("convex") }
          : undefined;
      });
    },
  };
}
