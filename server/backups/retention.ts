import { listBackups, type Proof, readIndex, readProof, removeBackup, timeOfBackup } from "./backup-records.ts";
import { isProven } from "./backup-status.ts";
import type { Target } from "./targets/target.ts";

export type RetentionPolicy = { days: number; weeks: number; months: number };

const DAY_MS = 24 * 60 * 60_000;
/** The epoch began on a Thursday; weeks begin on Mondays. */
const MONDAY_MS = 4 * DAY_MS;

/** Returns the names to remove. All backups of the last 24 hours and the newest one stay. `names`: the oldest first. */
export function backupsToRemove(names: readonly string[], { days, weeks, months }: RetentionPolicy, now: number): string[] {
  const newestFirst = names.toReversed();
  const kept = new Set(newestFirst.filter((name, index) => index === 0 || timeOfBackup(name).getTime() > now - DAY_MS));
  const keepLast = (count: number, periodOf: (at: Date) => unknown) => {
    const periods = new Set<unknown>();
    for (const name of newestFirst) {
      const period = periodOf(timeOfBackup(name));
      if (periods.has(period)) continue;
      if (periods.size === count) return;
      periods.add(period);
      kept.add(name);
    }
  };
  keepLast(days, (at) => Math.floor(at.getTime() / DAY_MS));
  keepLast(weeks, (at) => Math.floor((at.getTime() - MONDAY_MS) / (7 * DAY_MS)));
  keepLast(months, (at) => at.getUTCFullYear() * 12 + at.getUTCMonth());
  return names.filter((name) => !kept.has(name));
}

/** Removes backups that are not kept, then objects without a backup. Keeps untested and failed backups for a day, the newest one longer. */
export async function removeOldBackups(target: Target, keep: RetentionPolicy, now = Date.now()): Promise<number> {
  const names = await listBackups(target);
  const proofs = new Map<string, Proof | null>();
  for (const name of names) proofs.set(name, await readProof(target, name).catch(() => null));
  const proven = names.filter((name) => isProven(proofs.get(name) ?? null));
  const others = names.slice(0, -1).filter((name) => !proven.includes(name) && timeOfBackup(name).getTime() <= now - DAY_MS);
  const removed = [...backupsToRemove(proven, keep, now), ...others];
  if (removed.length === 0) return 0;
  // Reads all backups first. An unreadable backup may need any object, so it stops the removal.
  const needed = new Set<string>();
  for (const name of names.filter((name) => !removed.includes(name)))
    for (const object of (await readIndex(target, name)).objects.keys()) needed.add(object);
  for (const name of removed) await removeBackup(target, name);
  await target.flush();
  for (const name of (await target.list("objects")).keys()) if (!needed.has(name)) await target.remove(name);
  return removed.length;
}
