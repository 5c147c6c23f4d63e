import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

const LOCK_WAIT_MS = 1000;

/** Returns the release function, or null when another process has the lock, which ends with its process. */
export function lockFolder(dir: string, name = "app.lock"): (() => void) | null {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const file = new DatabaseSync(join(dir, name), { timeout: LOCK_WAIT_MS });
  try {
    file.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    file.close();
    if (error instanceof Error && /locked/.test(error.message)) return null;
    throw error;
  }
  return () => {
    if (file.isOpen) file.close();
  };
}
