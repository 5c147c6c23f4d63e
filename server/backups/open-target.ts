import { resolve } from "node:path";
import { isBucket, type S3Settings } from "../s3/s3-settings.ts";
import { bucketTarget } from "./bucket-target.ts";
import { folderTarget } from "./folder-target.ts";
import type { Target } from "./target.ts";

export type TargetSettings = {
  /** The path of a folder, or `s3://bucket/prefix`. */
  to: string;
  /** Required for a bucket. */
  s3: S3Settings | null;
};

/** `workDir`: a folder of this machine for the test of a backup in a bucket. */
export function openTarget({ to, s3 }: TargetSettings, workDir: string): Target {
  if (!isBucket(to)) return folderTarget(resolve(to));
  if (!s3) throw new Error(`${to} needs BACKUP_S3_ACCESS_KEY_ID and BACKUP_S3_SECRET_ACCESS_KEY.`);
  return bucketTarget({ location: to, s3, workDir });
}
