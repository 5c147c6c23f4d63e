import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { opendir, rm } from "node:fs/promises";
import { join } from "node:path";
import { log } from "~/lib/http/telemetry/log.server";

/** Removes files of killed processes in the background. Names contain the process id, since servers can share the folder. */
export function openTempFiles(folder: string): { newPath: () => string; swept: Promise<void> } {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // In a container every process has the same id.
  const own = `${process.pid}-${randomUUID()}-`;
  async function sweep(): Promise<void> {
    for await (const { name } of await opendir(folder)) {
      if (name.startsWith(own)) continue;
      const pid = Number(/^(\d+)-/.exec(name)?.[1]);
      // A process with our id and another UUID has ended.
      if (!(pid > 0) || pid === process.pid || !isRunning(pid)) await rm(join(folder, name), { recursive: true, force: true });
    }
  }
  const swept = sweep().catch((error: unknown) => log.error({ error }, "files of interrupted uploads could not be removed"));
  return { newPath: () => join(folder, `${own}${randomUUID()}`), swept };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
