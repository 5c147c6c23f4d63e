import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { lockForBackup } from "@atelier/engine/backup";

export type WorkFolder = {
  scratch: string;
  /** Creates the folder for this process alone. The result removes it. Throws when another process uses it. */
  lock(): Promise<() => Promise<void>>;
};

/** Returns a folder of this machine for unencrypted data during a backup. */
export function workFolder(path: string): WorkFolder {
  const scratch = join(path, "partial");
  return {
    scratch,
    async lock() {
      await mkdir(path, { recursive: true, mode: 0o700 });
      const unlock = lockForBackup(path);
      await rm(scratch, { recursive: true, force: true });
      await mkdir(scratch, { mode: 0o700 });
      return async () => {
        // Removed before the lock is released: afterwards another backup may use the folder.
        await rm(path, { recursive: true, force: true });
        unlock();
      };
    },
  };
}
