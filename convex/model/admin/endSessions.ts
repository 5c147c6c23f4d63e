import { internal } from "../../_generated/api";
import type { MutationCtx } from "../../_generated/server";

const BATCH = 500;

/** Ends the sessions of a user. Returns how many are ended at once; a job ends the rest. */
export async function endSessions({ db, scheduler }: Pick<MutationCtx, "db" | "scheduler">, userId: string): Promise<number> {
  const sessions = await db
    .query("sessions")
    .withIndex("userId", (q) => q.eq("userId", userId))
    .take(BATCH);
  for (const { _id } of sessions) await db.delete(_id);
  if (sessions.length === BATCH) await scheduler.runAfter(0, internal.jobs.sessions.end, { userId });
  return sessions.length;
}
