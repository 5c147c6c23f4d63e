import { basename, join, relative } from "node:path";
import { build, type Plugin } from "vite";
import { PROCESSES, ROOT } from "./stamp.ts";

const ENTRIES = { ensure: "server/build/ensure.ts", main: "server/main.ts" };

const SOURCES = [join(ROOT, "server/"), join(ROOT, "engine/src/")];
/** The address of a file that another process or thread loads, or of the module itself. */
const ADDRESS = /new URL\("(\.{1,2}\/[\w./-]+)\.ts", import\.meta\.url\)|import\.meta\.url/g;
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
  const names = new Map<string, string>();
  const bundleOf = (path: string) => `${basename(path, ".ts")}.js`;
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
      for (const [, path] of code.matchAll(ADDRESS)) {
        const started = path === undefined ? null : await this.resolve(`${path}.ts`, id);
        if (!started) continue;
        const fileName = bundleOf(started.id);
        if ((names.get(fileName) ?? started.id) !== started.id) this.error(`Another started file is also called ${fileName}.`);
        names.set(fileName, started.id);
        this.emitFile({ type: "chunk", id: started.id, fileName });
      }
      const own = `new URL(${JSON.stringify(fromBundle(id))}, import.meta.url).href`;
      return code.replaceAll(ADDRESS, (_, path?: string) => (path === undefined ? own : `new URL("./${bundleOf(path)}", import.meta.url)`));
    },
  };
}
