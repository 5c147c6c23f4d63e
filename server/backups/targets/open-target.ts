import { resolve } from "node:path";
import { isBucket, type S3Settings } from "@atelier/engine/s3-settings";
import { bucketTarget } from "./bucket-target.ts";
import { type BackupKeys, isEncrypting } from "../objects/encrypted-objects.ts";
import { folderTarget } from "./folder-target.ts";
import type { Target } from "./target.ts";

export type BackupAccess = {
  s3: S3Settings | null;
  keys: BackupKeys;
};

export type TargetSettings = BackupAccess & {
  to: string;
};

export function openTarget({ to, s3, keys }: TargetSettings, workDir: string): Target {
  if (!isBucket(to)) return folderTarget(resolve(to), isEncrypting(keys) ? workDir : null);
  if (!s3) throw new Error(`${to} needs BACKUP_S3_ACCESS_KEY_ID and BACKUP_S3_SECRET_ACCESS_KEY.`);
  return bucketTarget({ location: to, s3, workDir });
}
