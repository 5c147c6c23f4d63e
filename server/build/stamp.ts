import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** The hash of the build's sources. Written last, so that an interrupted build has none. */
export const STAMP = join(ROOT, "build/stamp");

/** Sources of the build. `server/` and `engine/` run from source. */
const SOURCES = [
  "app",
  "convex",
  "public",
  "server/build",
  "package-lock.json",
  "react-router.config.ts",
  "tsconfig.json",
  "vite.config.ts",
];
const NO_SOURCE = /\.test\.tsx?$|(?:^|\/)\.(?!well-known)/;

export const canBuild = () => [...SOURCES, "node_modules/@react-router/dev"].every((path) => existsSync(join(ROOT, path)));

export async function sourcesHash(): Promise<string> {
  const paths = (await Promise.all(SOURCES.map((source) => filesIn(join(ROOT, source))))).flat().toSorted();
  const hash = createHash("sha256");
  const contents = await Promise.all(paths.map((path) => readFile(path)));
  paths.forEach((path, i) => hash.update(`${relative(ROOT, path)}\0${contents[i]?.length}\0`).update(contents[i] ?? ""));
  return hash.digest("hex");
}

async function filesIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => null);
  if (!entries) return [path];
  return entries.filter((entry) => entry.isFile() && !NO_SOURCE.test(entry.name)).map((entry) => join(entry.parentPath, entry.name));
}
