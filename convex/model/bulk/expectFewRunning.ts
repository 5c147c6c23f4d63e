import type { UserMutationCtx } from "../access";
import { limit } from "../errors";
import { stateOf } from "./batches";

/** Jobs of one person that run at once. More would slow down the jobs of others. */
const RUNNING_MAX = 10;
const RECENT_READ = 50;

export async function expectFewRunning(ctx: UserMutationCtx): Promise<void> {
  const recent = await ctx.db
    .query("bulkJobs")
    .withIndex("by_start", (q) => q.eq("userId", ctx.user.id).eq("isDismissed", false))
    .order("desc")
    .take(RECENT_READ);
  let running = 0;
  for (const job of recent) if ((await stateOf(ctx, job)) === "running") running += 1;
  if (running >= RUNNING_MAX) throw limit(`At most ${RUNNING_MAX} bulk actions can run at once. Wait until one is complete.`);
}
