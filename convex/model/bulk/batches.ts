import { internal } from "../../_generated/api";
import type { Doc, Id } from "../../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../../_generated/server";
import type { bulkState } from "./bulkTables";

export async function scheduleBatch(ctx: MutationCtx, id: Id<"bulkJobs">, run: number): Promise<void> {
  await ctx.db.patch(id, { call: await ctx.scheduler.runAfter(0, internal.jobs.bulk.run, { id, run }) });
}

/** Returns "cancelled" also for a job whose batch exceeded a limit: the failed transaction could not store a state. */
export async function stateOf({ db }: QueryCtx, { state, call }: Doc<"bulkJobs">): Promise<typeof bulkState.type> {
  if (state !== "running" || call === undefined) return state;
  const kind = (await db.system.get(call))?.state.kind;
  return kind === "pending" || kind === "inProgress" ? "running" : "cancelled";
}

export const partOf = (step: string, part: number): string => `${step} ${part}`;

const BATCH = 100;
const COPIED_DESIGNS = 20;
const LISTED = 500;

export const listSize = ({ batch = LISTED }: Doc<"bulkJobs">): number => batch;

export function batchSize({ kind, action, batch = BATCH }: Doc<"bulkJobs">): number {
  return Math.min(batch, kind === "design" && action.type === "copy" ? COPIED_DESIGNS : BATCH);
}

export const smallerBatch = (job: Doc<"bulkJobs">): number => Math.max(1, Math.floor(batchSize(job) / 4));

export function inBatches(ids: string[], size: number): string[][] {
  return Array.from({ length: Math.ceil(ids.length / size) }, (_, index) => ids.slice(index * size, (index + 1) * size));
}
