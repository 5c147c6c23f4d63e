import { link, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { copyDurably } from "@atelier/engine/copy";
import { FILE_NAME } from "@atelier/engine/database-file";

const LINKS_AT_ONCE = 16;

export type StageOptions = { databaseDir: string; filesDir: string; secrets: Buffer; to: string };

export async function stageData({ databaseDir, filesDir, secrets, to }: StageOptions): Promise<void> {
  await rm(to, { recursive: true, force: true });
  await mkdir(join(to, "files"), { recursive: true, mode: 0o700 });
  await copyDurably(join(databaseDir, FILE_NAME), join(to, FILE_NAME));
  await writeFile(join(to, "secrets.json"), secrets, { mode: 0o600 });
  const names = await readdir(filesDir).catch(missing(Array<string>()));
  const linkNext = async (): Promise<void> => {
    for (let name = names.pop(); name !== undefined; name = names.pop()) {
      const [source, copy] = [join(filesDir, name), join(to, "files", name)];
      await link(source, copy).catch(() => copyDurably(source, copy).catch(missing(undefined)));
    }
  };
  await Promise.all(Array.from({ length: LINKS_AT_ONCE }, linkNext));
}

function missing<T>(value: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === "ENOENT") return value;
    throw error;
  };
}
