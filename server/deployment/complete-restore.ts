import { existsSync } from "node:fs";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { sync } from "@atelier/engine/copy";

/** The parts of a restored folder, in the order in which they are renamed. */
export const RESTORED_PARTS = ["convex", "secrets.json"] as const;

/** Copies are renamed when all are complete, so that an app that starts during the restore finds no partial data. */
export const partialPath = (dataDir: string, part: string): string => join(dataDir, `${part}.partial`);

/** Completes a restore that was interrupted between renaming the database and the keys. Returns whether there was one. */
export async function completeRestore(dataDir: string): Promise<boolean> {
  const [database, keys] = RESTORED_PARTS;
  const isComplete = existsSync(join(dataDir, keys)) || !existsSync(partialPath(dataDir, keys));
  const hasBegun = existsSync(join(dataDir, database)) && !existsSync(partialPath(dataDir, database));
  if (isComplete || !hasBegun) return false;
  await rename(partialPath(dataDir, keys), join(dataDir, keys));
  await sync(dataDir);
  return true;
}
