import { link, mkdir, readdir, rm, stat, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { copyDurably } from "@atelier/engine/copy";
import { FILE_NAME } from "@atelier/engine/database-file";
import { MIN_FREE_BYTES } from "../deployment/data-dir.ts";

const LINKS_AT_ONCE = 16;

export type StageOptions = {
  databaseDir: string;
  filesDir: string;
  secrets: Buffer;
  to: string;
  freeBytes?: (folder: string) => Promise<number>;
};

/** Copies the database, and links or copies the files. Throws when the server and the later test of the backup would lack space. */
export async function stageData({ databaseDir, filesDir, secrets, to, freeBytes = freeSpace }: StageOptions): Promise<void> {
  await rm(to, { recursive: true, force: true });
  await mkdir(join(to, "files"), { recursive: true, mode: 0o700 });
  const requireSpace = async (bytes: number): Promise<void> => {
    const [needed, free] = [bytes + MIN_FREE_BYTES, await freeBytes(to)];
    if (free < needed)
      throw new Error(
        `DATA_DIR has too little space to prepare the backup: ${megabytes(needed)} MB are needed, and ${Math.floor(free / 1e6)} MB are free. ` +
          "Free some space, then try again.",
      );
  };
  const { size: databaseBytes } = await stat(join(databaseDir, FILE_NAME));
  await requireSpace(2 * databaseBytes);
  await copyDurably(join(databaseDir, FILE_NAME), join(to, FILE_NAME));
  await writeFile(join(to, "secrets.json"), secrets, { mode: 0o600 });
  const names = await readdir(filesDir).catch(missing(Array<string>()));
  let copying = 0;
  const copy = async (source: string, target: string): Promise<void> => {
    const { size } = await stat(source);
    copying += size;
    try {
      await requireSpace(databaseBytes + copying);
      await copyDurably(source, target);
    } finally {
      copying -= size;
    }
  };
  const linkNext = async (): Promise<void> => {
    for (let name = names.pop(); name !== undefined; name = names.pop()) {
      const [source, target] = [join(filesDir, name), join(to, "files", name)];
      await link(source, target).catch(() => copy(source, target).catch(missing(undefined)));
    }
  };
  const linkAll = Array.from({ length: LINKS_AT_ONCE }, () =>
    linkNext().catch((error: unknown) => {
      names.length = 0;
      throw error;
    }),
  );
  // The caller removes the folder after an error, so nothing may write to it any more.
  const failed = (await Promise.allSettled(linkAll)).find((each) => each.status === "rejected");
  if (failed) throw failed.reason;
}

async function freeSpace(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

const megabytes = (bytes: number): number => Math.ceil(bytes / 1e6);

function missing<T>(value: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === "ENOENT") return value;
    throw error;
  };
}
