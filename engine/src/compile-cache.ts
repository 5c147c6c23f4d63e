/**
 * Where Node keeps what it has compiled of our code and of pushed code: with it, a deployment starts in half the time. One folder
 * beside the packages serves all deployments of an installation; where that may not be written to, each keeps its own.
 */
import { accessSync, constants, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";

const SHARED = join(import.meta.dirname, "../../node_modules/.cache/engine");

export function compileCacheFolder(dataDir: string): string {
  try {
    mkdirSync(SHARED, { recursive: true });
    accessSync(SHARED, constants.W_OK);
    return SHARED;
  } catch {
    return join(resolve(dataDir), "compiled");
  }
}
