import { nextMatch, parseCronExpression } from "@atelier/engine/cron-expression";
import { listBackups, type Proof, readProof, timeOfBackup } from "./backup-records.ts";
import type { Target } from "./targets/target.ts";

export type BackupStatus = {
  newest: { name: string; proof: Proof | null } | null;
  newestProven: string | null;
};

export const isProven = (proof: Proof | null): boolean => proof !== null && proof.problems.length === 0;

export async function readStatus(target: Target): Promise<BackupStatus> {
  let newest: BackupStatus["newest"] = null;
  for (const name of (await listBackups(target)).toReversed()) {
    const proof = await readProof(target, name).catch(() => null);
    newest ??= { name, proof };
    if (isProven(proof)) return { newest, newestProven: name };
  }
  return { newest, newestProven: null };
}

export function isOverdue(schedule: string, name: string, now: number): boolean {
  const expression = parseCronExpression(schedule);
  return nextMatch(expression, nextMatch(expression, timeOfBackup(name).getTime())) < now;
}

export function isDue(schedule: string, { newest }: BackupStatus, now: number): boolean {
  if (newest === null || !isProven(newest.proof)) return true;
  return nextMatch(parseCronExpression(schedule), timeOfBackup(newest.name).getTime()) <= now;
}
