import { join, relative } from "node:path";
import { build, type Plugin } from "vite";
import { PROCESSES, ROOT } from "./stamp.ts";

/** Bundles by name, with their sources. */
const ENTRIES = { ensure: "server/build/ensure.ts", main: "server/main.ts" };

const SOURCES = [join(ROOT, "server/"), join(ROOT, "engine/src/")];
/** The address of a file that another process or thread loads, or of the module itself. */
const ADDRESS = /new URL\("\.\/([\w-]+)\.ts", import\.meta\.url\)|import\.meta\.url/g;
/** `server/start.js` loads this module, too, so it must exist once. */
const SHARED = join(ROOT, "server/early-stop.js");

/** Bundles the server and the engine with their libraries (docs/decisions/228-bundled-processes.md). */
export async function bundleProcesses(): Promise<void> {
  await build({
    root: ROOT,
    configFile: false,
    envDir: false,
    publicDir: false,
    logLevel: "warn",
    plugins: [ownFiles()],
    // sharp loads a native library from its own folder.
    resolve: { noExternal: true, external: ["sharp"] },
    build: {
      ssr: true,
      outDir: PROCESSES,
      emptyOutDir: true,
      target: "node22",
      license: { fileName: "licenses.md" },
      rolldownOptions: {
        input: Object.fromEntries(Object.entries(ENTRIES).map(([name, path]) => [name, join(ROOT, path)])),
        output: { entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js" },
      },
    },
  });
}

/** Bundles started files, too, and keeps what other addresses relative to a module mean. */
function ownFiles(): Plugin {
  const fromBundle = (path: string) => relative(PROCESSES, path);
  return {
    name: "own-files",
    enforce: "pre",
    async resolveId(source, importer) {
      const resolved = importer && source.endsWith(".js") ? await this.resolve(source, importer) : null;
      return resolved?.id === SHARED ? { id: fromBundle(SHARED), external: true } : null;
    },
    async transform(code, id) {
      if (!SOURCES.some((folder) => id.startsWith(folder))) return null;
      for (const [, name] of code.matchAll(ADDRESS)) {
        const started = name === undefined ? null : await this.resolve(`./${name}.ts`, id);
        if (started) this.emitFile({ type: "chunk", id: started.id, fileName: `${name}.js` });
      }
      const own = `new URL(${JSON.stringify(fromBundle(id))}, import.meta.url).href`;
      return code.replaceAll(ADDRESS, (_, name?: string) => (name ? `new URL("./${name}.js", import.meta.url)` : own));
    },
  };
}
