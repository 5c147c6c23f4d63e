import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { loadCode } from "../functions/bundles/bundle.ts";
import { requireFileBucket, type FileBucketSettings } from "../functions/files/bucket/bucket-settings.ts";
import { openFileReader } from "../functions/files/bucket/file-reader.ts";
import { S3Error } from "../s3/s3-error.ts";
import { FILE_NAME, openCopy, openFile } from "../storage/file.ts";
import { databaseProblems } from "../transaction/integrity/integrity.ts";
import type { Timestamp } from "../values/types.ts";
import { bigintOf, prepareWithBigInts } from "../storage/rows.ts";
import { openSettings } from "../storage/settings.ts";
import { fileProblems, type DamagedFile } from "./stored-files.ts";

export type { DamagedFile };

export type CheckResult = {
  problems: string[];
  damagedFiles: DamagedFile[];
  storedFiles: number;
  latest: Timestamp | null;
};

/** @throws {StorageError} when a process is using the folder, or files are in a bucket and `fileBucket` is null */
export async function checkData(dir: string, fileBucket: FileBucketSettings | null = null): Promise<CheckResult> {
  requireFileBucket(dir, fileBucket);
  return check(openFile(dir), dir, fileBucket);
}

export async function checkCopy(dir: string): Promise<CheckResult> {
  const path = join(dir, FILE_NAME);
  if (!existsSync(path)) return { problems: [`${path} is missing.`], damagedFiles: [], storedFiles: 0, latest: null };
  if (existsSync(`${path}-wal`) && statSync(`${path}-wal`).size > 0) {
    const problem = `${path}-wal is not empty: something has used this copy since it was made.`;
    return { problems: [problem], damagedFiles: [], storedFiles: 0, latest: null };
  }
  return check(openCopy(dir), dir, null);
}

async function check(sql: DatabaseSync, dir: string, fileBucket: FileBucketSettings | null): Promise<CheckResult> {
  const problems: string[] = [];
  let latest: Timestamp | null = null;
  let files: Awaited<ReturnType<typeof fileProblems>> = { damaged: [], checked: 0 };
  try {
    for (const problem of databaseProblems(sql)) problems.push(problem);
    problems.push(...codeProblems(sql));
    latest = bigintOf(prepareWithBigInts(sql, "SELECT value FROM clock WHERE name = 'ts'").get()?.[0]);
    files = await fileProblems(sql, openFileReader(join(dir, "files"), fileBucket));
  } catch (error) {
    if (error instanceof S3Error) problems.push(`Stored files cannot be read from ${fileBucket?.location}, because ${error.reason}.`);
    else problems.push(`The database cannot be read: ${error instanceof Error ? error.message : String(error)}.`);
  } finally {
    sql.close();
  }
  problems.push(...files.damaged.map(({ problem }) => problem));
  return { problems, damagedFiles: files.damaged, storedFiles: files.checked, latest };
}

function codeProblems(sql: DatabaseSync): string[] {
  try {
    loadCode(openSettings(sql, () => undefined));
    return [];
  } catch (error) {
    return [`The deployed code cannot be read: ${error instanceof Error ? error.message : String(error)}`];
  }
}
