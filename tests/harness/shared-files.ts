import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const TESTS = "{app,bench,engine,server,tests}/**/*.test.{ts,tsx}";
/** Tests of Vitest's project "convex", and tests with their own npm scripts. */
const OTHER = /^(?:tests\/(?:convex|faults)|engine\/conformance)\//;

/** What can outlive a test file in its process. `vi.stub…` and spies are restored by isolate-file.ts. */
const PROCESS_STATE =
  /\bvi\s*\.\s*(?:mock|doMock|hoisted|resetModules|useFakeTimers|setSystemTime)\b|\bprocess\.(?:env|on|once|chdir|exitCode)\b|\bglobalThis\b|@vitest-environment|fake-indexeddb/;
/** Imports that start processes, threads or servers, which can outlive a test file. */
const STARTING_IMPORT = /^node:(?:child_process|cluster|dgram|http|https|http2|net|tls|worker_threads)$/;

const IMPORT = /^(?:import|export)\s+(?!type\b)(?:[^'";]*?\sfrom\s+)?["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']/gm;
const EXTENSIONS = ["", ".ts", ".tsx"];

/** Returns the paths of unit tests that change no state of their process and have no direct or indirect `STARTING_IMPORT`. */
export function sharedFiles(): string[] {
  const importsOf = new Map<string, string[]>();
  const imports = (file: string): string[] => {
    const known = importsOf.get(file);
    if (known) return known;
    const found = importedBy(readFileSync(ROOT + file, "utf8")).map((specifier) => resolve(specifier, file));
    importsOf.set(file, found);
    return found;
  };
  return globSync(TESTS, { cwd: ROOT, exclude: (path) => path.endsWith("node_modules") })
    .filter((file) => !OTHER.test(file))
    .filter((file) => !changesProcess(readFileSync(ROOT + file, "utf8")) && !reaches(file, STARTING_IMPORT, imports))
    .toSorted();
}

export const changesProcess = (source: string): boolean => PROCESS_STATE.test(source);

/** Returns the specifiers of a module's imports, without imports of types. */
export const importedBy = (source: string): string[] => [...source.matchAll(IMPORT)].map(([, fixed, dynamic]) => fixed ?? dynamic ?? "");

function reaches(file: string, pattern: RegExp, imports: (file: string) => string[]): boolean {
  const files = new Set([file]);
  for (const each of files) {
    for (const imported of imports(each)) {
      if (pattern.test(imported)) return true;
      if (/\.[jt]sx?$/.test(imported) && existsSync(ROOT + imported)) files.add(imported);
    }
  }
  return false;
}

function resolve(specifier: string, importer: string): string {
  const path = specifier.startsWith(".")
    ? join(dirname(importer), specifier)
    : specifier.replace(/^~\//, "app/").replace(/^#convex\//, "convex/");
  const extension = EXTENSIONS.find((each) => /\.\w+$/.test(path + each) && existsSync(ROOT + path + each));
  return path + (extension ?? "");
}
