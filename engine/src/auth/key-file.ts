/**
 * The admin key of a deployment that was started without one: made once, kept in its folder, readable by its owner alone.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeAdminKey } from "./admin-key.ts";

const FILE = "admin-key";
const INSTANCE_NAME = "local";

export async function keptAdminKey(dataDir: string): Promise<string> {
  const path = join(dataDir, FILE);
  const kept = (await readFile(path, "utf8").catch(absent))?.trim();
  if (kept) return kept;
  const key = makeAdminKey(INSTANCE_NAME);
  await writeFile(path, `${key}\n`, { mode: 0o600, flush: true });
  return key;
}

function absent(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null;
  throw error;
}
