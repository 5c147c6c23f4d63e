import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/**
 * The folder in which arriving files lie until they are stored or refused. Each is removed by whoever put it there; what a killed process
 * left behind is removed when the next one opens the folder. Files carry their process's id, so that servers that share a folder leave
 * each other's alone.
 */
export function openWaitingRoom(folder: string): { newPath: () => string } {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(folder)) {
    const pid = Number(/^(\d+)-/.exec(name)?.[1]);
    // A process of our own id that is not us has ended.
    if (!(pid > 0) || pid === process.pid || !isRunning(pid)) rmSync(join(folder, name), { recursive: true, force: true });
  }
  return { newPath: () => join(folder, `${process.pid}-${randomUUID()}`) };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
