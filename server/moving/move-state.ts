import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { sync } from "@atelier/engine/copy";

/** "copying" restarts; "verified" only completes the switch. */
const stateSchema = z.object({ id: z.string(), from: z.string(), to: z.string(), phase: z.enum(["copying", "verified", "done"]) });

export type MoveState = z.infer<typeof stateSchema>;

export type MoveFolder = {
  path(name: string): string;
  prepare(): Promise<void>;
  read(): Promise<MoveState | null>;
  write(state: MoveState): Promise<void>;
  remove(name: string): Promise<void>;
};

export function moveFolder(dataDir: string): MoveFolder {
  const path = (name: string) => join(dataDir, "move", name);
  const prepare = async () => void (await mkdir(join(dataDir, "move"), { recursive: true, mode: 0o700 }));
  const state = path("state.json");
  return {
    path,
    prepare,
    async read() {
      const text = await readFile(state, "utf8").catch(() => null);
      return text === null ? null : stateSchema.parse(JSON.parse(text));
    },
    async write(next) {
      await prepare();
      await writeFile(`${state}.new`, JSON.stringify(next), { mode: 0o600, flush: true });
      await rename(`${state}.new`, state);
      await sync(join(dataDir, "move"));
    },
    remove: (name) => rm(path(name), { recursive: true, force: true }),
  };
}
