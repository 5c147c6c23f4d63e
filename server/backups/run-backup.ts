import { join } from "node:path";
import { VERSION } from "../version.ts";
import { reasonOf } from "../deployment/data-dir.ts";
import { type Proof, writeProof } from "./backup-records.ts";
import { isProven } from "./backup-status.ts";
import type { FileBucketSettings } from "@atelier/engine/file-bucket-settings";
import { S3Error } from "@atelier/engine/s3-error";
import { isBucket } from "@atelier/engine/s3-settings";
import { openTarget, type TargetSettings } from "./targets/open-target.ts";
import { proveBackup } from "./prove-backup.ts";
import { type RetentionPolicy, removeOldBackups } from "./retention.ts";
import type { Target } from "./targets/target.ts";
import { takeBackup, type TakenBackup } from "./take-backup.ts";
import type { renderPages } from "./render-pages.ts";

export type BackupSettings = TargetSettings & { schedule: string; keep: RetentionPolicy };

export type RunOptions = {
  dataDir: string;
  settings: Omit<BackupSettings, "schedule">;
  fileBucket?: FileBucketSettings | null;
  env: NodeJS.ProcessEnv;
  render?: typeof renderPages;
};

export type BackupRun = Omit<TakenBackup, "staged" | "decryption"> & {
  problems: string[];
  pages: number;
  removed: number;
  seconds: number;
  removalProblem?: string;
};

/** Takes a backup, tests it, and removes old ones when it passed. Throws an error with the reason when no backup was taken. */
export async function runBackup({ dataDir, settings, fileBucket = null, env, render }: RunOptions): Promise<BackupRun> {
  const started = Date.now();
  const { to, keep } = settings;
  const workDir = join(dataDir, "backup.partial");
  const textOf = (error: unknown) => failureText(error, isBucket(to) && !(error instanceof S3Error) ? workDir : to);
  try {
    const target = openTarget(settings, workDir);
    const unlock = await target.lock();
    try {
      const inData: string[] = [];
      const { staged, decryption, ...taken } = await takeBackup({
        dataDir,
        target,
        keys: settings.keys,
        fileBucket,
        version: VERSION,
        log: (problem) => inData.push(problem),
      });
      const tested = await proveBackup({ target, name: taken.name, staged, decryption, env, ...(render && { render }) }).catch(
        (error: unknown) => ({
          problems: [`The test could not be completed: ${textOf(error)}`],
          pages: 0,
        }),
      );
      const proof: Proof = { testedAt: new Date().toISOString(), problems: [...inData, ...tested.problems], pages: tested.pages };
      await writeProof(target, taken.name, proof);
      await target.flush();
      const removal = isProven(proof) ? await removed(target, keep) : { removed: 0 };
      return { ...taken, problems: proof.problems, pages: proof.pages, ...removal, seconds: (Date.now() - started) / 1000 };
    } finally {
      await unlock();
    }
  } catch (error) {
    throw new Error(textOf(error), { cause: error });
  }
}

/** Returns a failure instead of throwing it, because the new backup is complete without the removal. */
const removed = (target: Target, keep: RetentionPolicy): Promise<Pick<BackupRun, "removed" | "removalProblem">> =>
  removeOldBackups(target, keep).then(
    (count) => ({ removed: count }),
    (error: unknown) => ({ removed: 0, removalProblem: failureText(error, target.describe("")) }),
  );

function failureText(error: unknown, to: string): string {
  const reason = error instanceof S3Error ? error.reason : reasonOf(error);
  if (reason !== null) return `${to} cannot be used, because ${reason}.`;
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return `${to} cannot be used: ${error.message}.`;
  return error instanceof Error ? error.message : String(error);
}
