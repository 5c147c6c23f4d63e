/** Where a running deployment is found, kept in its folder for whoever has that: a backup. */
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

const FILE = "address";

export const keepAddress = (dataDir: string, url: string): Promise<void> => writeFile(join(dataDir, FILE), `${url}\n`);
export const dropAddress = (dataDir: string): Promise<void> => rm(join(dataDir, FILE), { force: true });

/** Null when none is running; one that was killed leaves its address behind, where nobody answers. */
export const keptAddress = (dataDir: string): Promise<string | null> =>
  readFile(join(dataDir, FILE), "utf8").then(
    (text) => text.trim(),
    () => null,
  );
