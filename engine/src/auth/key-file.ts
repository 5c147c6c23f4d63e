import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeAdminKey } from "./admin-key.ts";

const FILE = "admin-key";
const INSTANCE_NAME = "local";

export async function loadAdminKey(dataDir: string): Promise<string> {
  const path = join(dataDir, FILE);
  const existing = (await readFile(path, "utf8").catch(absent))?.trim();
  if (existing) return existing;
  const key = makeAdminKey(INSTANCE_NAME);
  await writeFile(path, `${key}\n`, { mode: 0o600, flush: true });
  return key;
}

function absent(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null;
  throw error;
}
