import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { BundleError } from "../bundles/bundle-error.ts";
import type { NodeDependency } from "../types.ts";

const PACKAGE_NAME = /^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*$/i;

/** Compares external packages with the folder of the deployment. @throws {BundleError} that names package, versions and folder */
export function checkExternalPackages(packages: NodeDependency[], nodeModules: string): void {
  if (packages.length === 0) return;
  if (basename(nodeModules) !== "node_modules")
    throw new BundleError(`External packages need a folder named node_modules, and --node-modules is ${nodeModules}.`);
  const problems = packages.flatMap(({ name, version }) => problemOf(name, version, nodeModules));
  if (problems.length === 0) return;
  const wanted = packages.map(({ name, version }) => `${name}@${version}`).join(" ");
  throw new BundleError(
    `${problems.join("\n")}\nThis deployment installs no packages. Install them beside it (npm install --save-exact ${wanted}), or start it with --node-modules DIR/node_modules.`,
  );
}

function problemOf(name: string, version: string, nodeModules: string): string[] {
  if (!PACKAGE_NAME.test(name)) return [`${JSON.stringify(name)} is not the name of a package.`];
  const found = installedVersion(name, nodeModules);
  if (found === version) return [];
  const state = found === null ? "is not installed" : `has version ${found}`;
  return [`The external package ${name} ${state} in ${nodeModules}; the push needs version ${version}.`];
}

function installedVersion(name: string, nodeModules: string): string | null {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(nodeModules, name, "package.json"), "utf8"));
    const version: unknown = typeof manifest === "object" && manifest !== null ? Reflect.get(manifest, "version") : null;
    return typeof version === "string" ? version : null;
  } catch {
    return null;
  }
}
