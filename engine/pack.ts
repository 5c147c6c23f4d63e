/** Usage: `npm run pack:engine -- [DIR]`. Writes the engine as a package of JavaScript and types, because Node runs no TypeScript in node_modules. */
import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { dirname, join, resolve } from "node:path";
import { buildDashboard } from "./dashboard/build.ts";

const ENGINE = import.meta.dirname;
const OUT = resolve(process.argv[2] ?? join(ENGINE, "dist"));
const TSC = join(ENGINE, "../node_modules/typescript/bin/tsc");
const LEFT_OUT = /\.test\.ts$|(^|\/)testing\.ts$|-fixture\.ts$/;

/** Imports and addresses of threads name TypeScript files. */
const withJavaScriptNames = (text: string): string => text.replaceAll(/(["'])(\.{1,2}\/[^"'\n]*)\.ts\1/g, "$1$2.js$1");

const BUILT_DASHBOARD = "../../../build/dashboard/";

rmSync(OUT, { recursive: true, force: true });
for (const file of globSync("**/*.ts", { cwd: join(ENGINE, "src") })) {
  if (LEFT_OUT.test(file)) continue;
  const target = join(OUT, file.replace(/\.ts$/, ".js"));
  mkdirSync(dirname(target), { recursive: true });
  const source = readFileSync(join(ENGINE, "src", file), "utf8").replace(BUILT_DASHBOARD, "../dashboard/");
  writeFileSync(target, withJavaScriptNames(stripTypeScriptTypes(source)));
}

const options = "--declaration --emitDeclarationOnly --skipLibCheck --target ES2024 --lib ES2024,ESNext,DOM,DOM.Iterable --types node";
const modules = "--module ESNext --moduleResolution bundler --allowImportingTsExtensions --strict --noUncheckedIndexedAccess";
execFileSync(
  process.execPath,
  [TSC, "--ignoreConfig", ...options.split(" "), ...modules.split(" "), "--rootDir", "src", "--outDir", OUT, "src/deployment.ts"],
  { cwd: ENGINE, stdio: "inherit" },
);
for (const file of globSync("**/*.d.ts", { cwd: OUT }))
  writeFileSync(join(OUT, file), withJavaScriptNames(readFileSync(join(OUT, file), "utf8")));

const main = readFileSync(join(OUT, "main.js"), "utf8");
writeFileSync(join(OUT, "main.js"), `#!/usr/bin/env node\n${main}`, { mode: 0o755 });
const { private: _private, ...own } = JSON.parse(readFileSync(join(ENGINE, "package.json"), "utf8"));
const manifest = {
  ...own,
  engines: { node: ">=22.22.0" },
  bin: { "atelier-engine": "./main.js" },
  exports: { ".": { types: "./deployment.d.ts", default: "./deployment.js" } },
};
writeFileSync(join(OUT, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
await buildDashboard(join(OUT, "dashboard"));
cpSync(join(ENGINE, "QUICKSTART.md"), join(OUT, "README.md"));
