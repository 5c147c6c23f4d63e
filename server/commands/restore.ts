/** `npm run restore -- FOLDER|BUCKET [--backup NAME] [--accept-damaged]`: copies a backup into an empty DATA_DIR. */
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import * as z from "zod";
import { copyDurably, copyFolder, sync } from "@atelier/engine/copy";
import { checkCopy } from "@atelier/engine/check-data";
import { FILE_NAME } from "@atelier/engine/database-file";
import { writeLastCommit } from "@atelier/engine/last-commit";
import { listBackups, openBackup } from "../backups/backup-records.ts";
import { openDecryption } from "../backups/objects/encrypted-objects.ts";
import { WrongKeyError } from "../backups/objects/verified.ts";
import { isBackupFolder, requireReadable } from "../backups/targets/folder-target.ts";
import { openTarget } from "../backups/targets/open-target.ts";
import { restoreBackup } from "../backups/restore-backup.ts";
import { completeRestore, partialPath, RESTORED_PARTS } from "../deployment/complete-restore.ts";
import { leaveRecord } from "../deployment/operation-records.ts";
import { createPrivateFiles } from "../deployment/private-folder.ts";
import { readBackupAccess } from "../config/backup-access.ts";
import { isBucket } from "@atelier/engine/s3-settings";
import { manifestProblems } from "./manifest.ts";
import { formatProblems } from "./problems.ts";
import { writeFailure } from "./write-failure.ts";

if (existsSync(".env")) process.loadEnvFile(".env");

const dataDir = resolve(process.env["DATA_DIR"] || ".data");
const partial = (part: string) => partialPath(dataDir, part);

async function main(): Promise<void> {
  createPrivateFiles();
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { backup: { type: "string" }, "accept-damaged": { type: "boolean", default: false } },
  });
  if (positionals[0] === undefined) throw new Error("Name the backup: npm run restore -- FOLDER");
  const from = isBucket(positionals[0]) ? positionals[0] : resolve(positionals[0]);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  if (await completeRestore(dataDir)) {
    await leaveRecord(dataDir, { action: "backup.restored", name: values.backup ?? basename(from) });
    return console.log(`Completed the interrupted restore to ${dataDir}.`);
  }
  const existing = (await readdir(dataDir)).filter((name) => RESTORED_PARTS.some((part) => part === name));
  if (existing.length > 0)
    throw new Error(
      `${dataDir} already contains data (${existing.join(", ")}). Stop the app, move the data to another folder, then try again. A restore never overwrites files.`,
    );
  if (!isBucket(from)) await requireReadable(from);
  let problems: string[];
  try {
    for (const name of RESTORED_PARTS) await rm(partial(name), { recursive: true, force: true });
    const copy = isBucket(from) || isBackupFolder(from) ? copyScheduled : copyFolderBackup;
    problems = await copy(from, { name: values.backup, acceptDamaged: values["accept-damaged"] });
    for (const name of RESTORED_PARTS) {
      // The last rename completes the restore, and after it a repeated command would refuse.
      if (name === RESTORED_PARTS.at(-1)) await leaveRecord(dataDir, { action: "backup.restored", name: values.backup ?? basename(from) });
      await rename(partial(name), join(dataDir, name));
    }
    await sync(dataDir);
  } catch (error) {
    for (const name of RESTORED_PARTS) await rm(partial(name), { recursive: true, force: true });
    throw await writeFailure(error, {
      from,
      to: dataDir,
      outcome: "nothing was restored",
      advice: "Free some space there, or set DATA_DIR to a folder on another disk.",
    });
  }
  if (problems.length > 0) console.warn(`Restored, although the backup is damaged:\n${formatProblems(problems)}`);
  console.log(`Restored the backup ${from} to ${dataDir}.`);
}

type CopyOptions = { name: string | undefined; acceptDamaged: boolean };

async function copyFolderBackup(from: string, { acceptDamaged }: CopyOptions): Promise<string[]> {
  await requireBackup(from);
  const [source, copy] = [join(from, "convex"), partial("convex")];
  const { latest, problems } = await checkCopy(source);
  problems.push(...(await manifestProblems(from)));
  requireAccepted(from, { problems, isUsable: latest !== null, acceptDamaged });
  await mkdir(join(copy, "files"), { recursive: true, mode: 0o700 });
  for (const name of [FILE_NAME, "admin-key"]) if (existsSync(join(source, name))) await copyDurably(join(source, name), join(copy, name));
  await copyFolder(join(source, "files"), join(copy, "files"));
  if (latest !== null) writeLastCommit(copy, latest);
  await sync(copy);
  await copyDurably(join(from, "secrets.json"), partial("secrets.json"));
  return problems;
}

async function copyScheduled(from: string, { name, acceptDamaged }: CopyOptions): Promise<string[]> {
  const access = await readBackupAccess(process.env);
  const target = openTarget({ to: from, ...access }, dataDir);
  const names = await listBackups(target);
  const chosen = name ?? names.at(-1) ?? "";
  if (!names.includes(chosen))
    throw new Error(`There is no backup ${chosen} in ${from}. Available backups:\n${formatProblems(names.toReversed())}`);
  const decryption = await openDecryption(target, access.keys);
  const { backup, reader } = await openBackup(target, chosen, decryption).catch((error: unknown) => {
    if (error instanceof WrongKeyError) throw error;
    const others = formatProblems(names.toReversed());
    throw new Error(`${textOf(error)} Nothing was restored. Add --backup NAME for another one:\n${others}`, { cause: error });
  });
  const { problems } = await restoreBackup({ reader, backup, convexDir: partial("convex"), secretsPath: partial("secrets.json") });
  const restored = await checkCopy(partial("convex"));
  if (problems.length === 0) problems.push(...restored.problems);
  requireAccepted(from, { problems, isUsable: restored.latest !== null, acceptDamaged });
  return problems;
}

type Found = { problems: string[]; isUsable: boolean; acceptDamaged: boolean };

function requireAccepted(from: string, { problems, isUsable, acceptDamaged }: Found): void {
  if (isUsable && (problems.length === 0 || acceptDamaged)) return;
  const wayOut = isUsable ? "\nTo restore the undamaged files, add --accept-damaged." : "";
  throw new Error(`${from} is damaged, so nothing was restored:\n${formatProblems(problems)}${wayOut}`);
}

async function requireBackup(from: string): Promise<void> {
  try {
    z.object({ secret: z.string(), engineAdminKey: z.string() }).parse(JSON.parse(await readFile(join(from, "secrets.json"), "utf8")));
  } catch (cause) {
    throw new Error(`${from} is not a complete backup of 'npm run backup'.`, { cause });
  }
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

main().catch((error: unknown) => {
  console.error(textOf(error));
  process.exitCode = 1;
});
