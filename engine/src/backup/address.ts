import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

const FILE = "address";

export const storeAddress = (dataDir: string, url: string): Promise<void> => writeFile(join(dataDir, FILE), `${url}\n`);
export const removeAddress = (dataDir: string): Promise<void> => rm(join(dataDir, FILE), { force: true });

/** Returns the running deployment's address, or null. A killed deployment leaves a stale address. */
export const readAddress = (dataDir: string): Promise<string | null> =>
  readFile(join(dataDir, FILE), "utf8").then(
    (text) => text.trim(),
    () => null,
  );
