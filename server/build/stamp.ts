import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));
export const PROCESSES = join(ROOT, "build/processes");

/** A part of the build: the file with the hash of its sources, written last, and the sources. */
type Part = { stamp: string; sources: readonly string[] };

export const APP: Part = {
  stamp: join(ROOT, "build/stamp"),
  sources: ["app", "convex", "public", "server/build", "package-lock.json", "react-router.config.ts", "tsconfig.json", "vite.config.ts"],
};

export const SERVER: Part = { stamp: join(PROCESSES, "stamp"), sources: ["server", "engine/dashboard", "engine/src", "package-lock.json"] };
const NO_SOURCE = /\.test\.tsx?$|(?:^|\/)\.(?!well-known)/;

export const canBuild = () =>
  [...APP.sources, ...SERVER.sources, "node_modules/@react-router/dev"].every((path) => existsSync(join(ROOT, path)));

/** Returns null without a stamp: the part was never built completely. */
export const stampOf = ({ stamp }: Part): Promise<string | null> => readFile(stamp, "utf8").catch(() => null);

export const isFresh = async (part: Part): Promise<boolean> => (await stampOf(part)) === (await sourcesHash(part));

export async function sourcesHash({ sources }: Part): Promise<string> {
  const paths = (await Promise.all(sources.map((source) => filesIn(join(ROOT, source))))).flat().toSorted();
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
