/** `npm run check-data [-- FOLDER|BUCKET] [--set-aside]`: checks the data in DATA_DIR or a backup. Exits with 1 on a problem. */
import { existsSync } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { checkCopy, checkData, type CheckResult } from "@atelier/engine/check-data";
import { FILE_NAME } from "@atelier/engine/database-file";
import { checkBackups } from "../backups/check-backups.ts";
import { isBackupFolder, requireReadable } from "../backups/targets/folder-target.ts";
import { openTarget } from "../backups/targets/open-target.ts";
import { readBackupAccess } from "../config/backup-access.ts";
import { readFileBucket } from "../config/file-bucket.ts";
import { isBucket } from "@atelier/engine/s3-settings";
import { formatProblems } from "./problems.ts";

if (existsSync(".env")) process.loadEnvFile(".env");

const dataDir = resolve(process.env["DATA_DIR"] || ".data");

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { "set-aside": { type: "boolean", default: false } } });
  const [location] = positionals;
  if (location !== undefined && isBucket(location)) return checkScheduled(location);
  const copy = location === undefined ? null : resolve(location);
  if (copy) await requireReadable(copy);
  if (copy && isBackupFolder(copy)) return checkScheduled(copy);
  const dir = join(copy ?? dataDir, "convex");
  if (!existsSync(join(dir, FILE_NAME))) throw new Error(`${join(dir, FILE_NAME)} is missing.`);
  const result = await (copy ? checkCopy(dir) : checkData(dir, await readFileBucket(process.env)));
  if (result.problems.length === 0) {
    console.log(`${dir} has no problems. Checked: the database, its indexes and ${result.storedFiles} stored files.`);
    return;
  }
  console.error(`Problems in ${dir} (${result.problems.length}):\n${formatProblems(result.problems)}`);
  process.exitCode = 1;
  if (copy) return;
  if (values["set-aside"]) await setAside(dir, result);
  else {
    console.error(
      `Keep a copy of ${dataDir} as it is. Then restore the last backup that passes 'npm run check-data -- FOLDER', or copy single images from its folder convex/files. To move damaged images that have no copy, add --set-aside.`,
    );
  }
}

async function checkScheduled(to: string): Promise<void> {
  const target = openTarget({ to, ...(await readBackupAccess(process.env)) }, dataDir);
  const { problems, backups, objects } = await checkBackups(target);
  if (problems.length === 0) return console.log(`${to} has no problems. Checked: ${backups} backups with ${objects} files.`);
  console.error(`Problems in ${to} (${problems.length}):\n${formatProblems(problems)}`);
  process.exitCode = 1;
}

async function setAside(dir: string, { damagedFiles }: CheckResult): Promise<void> {
  const folder = join(dir, "damaged");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const moved = damagedFiles.filter(({ isMissing, isLocal }) => !isMissing && isLocal);
  for (const { path } of moved) await rename(path, join(folder, basename(path)));
  console.error(`${moved.length} damaged images were moved to ${folder}.`);
  const inBucket = damagedFiles.filter(({ isMissing, isLocal }) => !isMissing && !isLocal).length;
  if (inBucket > 0) console.error(`${inBucket} damaged images in the bucket were not changed.`);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
