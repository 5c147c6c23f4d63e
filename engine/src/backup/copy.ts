import { constants } from "node:fs";
import { chmod, copyFile, link, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

const COPIES_AT_ONCE = 16;

export async function copyDurably(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  await chmod(to, 0o600);
  await sync(to);
}

/** Copies a folder except files that are deleted during the copy. `hardLinks` links files of one file system, which share any damage. */
export async function copyFolder(from: string, to: string, { hardLinks = false } = {}): Promise<void> {
  const names = await readdir(from).catch(absent(Array<string>()));
  const copyNext = async (): Promise<void> => {
    for (let name = names.pop(); name !== undefined; name = names.pop()) {
      const [source, copy] = [join(from, name), join(to, name)];
      if (hardLinks) await rm(copy, { force: true });
      const linked = hardLinks && (await link(source, copy).then(() => true, absent(true, false)));
      if (!linked) await copyDurably(source, copy).catch(absent(undefined));
    }
  };
  await Promise.all(Array.from({ length: COPIES_AT_ONCE }, copyNext));
  await sync(to);
}

export async function sync(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function absent<T>(value: T, otherwise?: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === "ENOENT") return value;
    if (otherwise !== undefined) return otherwise;
    throw error;
  };
}
