/** Usage: `node engine/dashboard/build.ts [DIR]`. Builds the dashboard into build/dashboard, unless it is up to date. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";

const SOURCES = import.meta.dirname;
const ROOT = join(SOURCES, "../..");
const LIBRARIES = ["react", "react-dom", "vite"].map((name) => join(ROOT, "node_modules", name, "package.json"));

/** Without the build tools, as in an installation for production, it keeps the existing build. */
export async function buildDashboard(folder = join(ROOT, "build/dashboard")): Promise<void> {
  if (!LIBRARIES.every((path) => existsSync(path))) return;
  const stamp = join(folder, "stamp");
  const hash = sourcesHash();
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === hash) return;
  const { build } = await import("vite");
  await build({
    root: SOURCES,
    base: "/dashboard/",
    configFile: false,
    envDir: false,
    publicDir: false,
    logLevel: "warn",
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: "es2024",
      modulePreload: false,
      license: { fileName: "licenses.md" },
      rolldownOptions: { output: { entryFileNames: "dashboard.js", assetFileNames: "dashboard[extname]", codeSplitting: false } },
    },
  });
  writeFileSync(stamp, hash);
}

function sourcesHash(): string {
  const hash = createHash("sha256");
  const files = readdirSync(SOURCES).filter((name) => !name.startsWith("."));
  for (const path of [...files.map((name) => join(SOURCES, name)), ...LIBRARIES])
    hash.update(`${relative(ROOT, path)}\0`).update(readFileSync(path));
  return hash.digest("hex");
}

if (process.argv[1] === import.meta.filename) await buildDashboard(process.argv[2] === undefined ? undefined : resolve(process.argv[2]));
