import * as z from "zod";
import type { BackupAccess } from "../backups/targets/open-target.ts";
import { readCommandSettings } from "./read-command-settings.ts";
import { backupAccess, IDENTITY, RECIPIENTS } from "./settings.ts";

const accessSchema = z.object(backupAccess);

export const readBackupAccess = async (env: NodeJS.ProcessEnv): Promise<BackupAccess> =>
  accessOf(await readCommandSettings(env, accessSchema, keyProblems));

type BackupAccessSettings = z.infer<typeof accessSchema>;

export async function keyProblems({
  BACKUP_ENCRYPT_TO: recipients = [],
  BACKUP_IDENTITY: identities = [],
}: BackupAccessSettings): Promise<string[]> {
  if (recipients.length + identities.length === 0) return [];
  const { isIdentity, isRecipient } = await import("../backups/objects/age.ts");
  return [
    ...recipients
      .filter((text) => !isRecipient(text))
      .map((text) => `BACKUP_ENCRYPT_TO has ${JSON.stringify(text)}; expected ${RECIPIENTS}`),
    ...(identities.every(isIdentity) ? [] : [`BACKUP_IDENTITY is invalid; expected ${IDENTITY}`]),
  ];
}

export function accessOf(set: BackupAccessSettings): BackupAccess {
  const { BACKUP_ENCRYPT_TO: recipients = [], BACKUP_IDENTITY: identities = [], BACKUP_PASSPHRASE: passphrase = null } = set;
  return { s3: s3Of(set), keys: { recipients, identities, passphrase } };
}

function s3Of(set: BackupAccessSettings): BackupAccess["s3"] {
  const { BACKUP_S3_ACCESS_KEY_ID: accessKeyId, BACKUP_S3_SECRET_ACCESS_KEY: secretAccessKey, BACKUP_S3_REGION: region } = set;
  if (accessKeyId === undefined || secretAccessKey === undefined) return null;
  const endpoint = new URL(set.BACKUP_S3_ENDPOINT ?? `https://s3.${region}.amazonaws.com`).origin;
  return { endpoint, region, accessKeyId, secretAccessKey, pathStyle: set.BACKUP_S3_PATH_STYLE };
}
