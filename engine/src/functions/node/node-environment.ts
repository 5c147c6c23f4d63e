import { createRequire, registerHooks, syncBuiltinESMExports } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { NodeStart } from "./node-process.ts";

const EPERM = -1;

type Kill = (pid: number, signal: number) => number;

const isKill = (value: unknown): value is Kill => typeof value === "function";

/** Prepares the globals for pushed code: `process.env`, `require`, and no signals to other processes. */
export function enterNode({ root, packages, nodeModules }: NodeStart["code"], env: Record<string, string>): void {
  Object.defineProperty(process, "env", { value: { ...env }, configurable: true, enumerable: true, writable: true });
  const kill: unknown = Reflect.get(process, "_kill");
  if (isKill(kill)) Object.assign(process, { _kill: (pid: number, signal: number) => (pid === process.pid ? kill(pid, signal) : EPERM) });
  // `_debugProcess` starts a debugger in another process.
  Object.defineProperty(process, "_debugProcess", { value: undefined, configurable: true });
  resolvePackages(root, new Set(packages), nodeModules);
  // esbuild's modules call it for CommonJS packages that require Node's modules or external packages.
  Object.assign(globalThis, { require: createRequire(join(root, "require.js")) });
  syncBuiltinESMExports();
}

function resolvePackages(root: string, packages: ReadonlySet<string>, nodeModules: string): void {
  const prefix = `${pathToFileURL(root).href}/`;
  const importer = pathToFileURL(join(dirname(nodeModules), "convex.js")).href;
  registerHooks({
    resolve(specifier, context, next) {
      const isPushed = context.parentURL?.startsWith(prefix) ?? false;
      return isPushed && packages.has(packageName(specifier))
        ? next(specifier, { ...context, parentURL: importer })
        : next(specifier, context);
    },
  });
}

function packageName(specifier: string): string {
  const [scope = "", name = ""] = specifier.split("/");
  return scope.startsWith("@") ? `${scope}/${name}` : scope;
}
