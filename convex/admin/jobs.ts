import { makeFunctionReference, type SystemDataModel } from "convex/server";
import { type Infer, v } from "convex/values";
import type { QueryCtx } from "../_generated/server";
import { administratorMutation, serverQueryForAdministrator } from "../model/access";
import { peopleIn, personShape } from "../model/admin/shownPerson";
import { recordAuditEvent } from "../model/audit/recordAuditEvent";
import { cutText } from "../model/cutText";
import { conflict } from "../model/errors";

/** Scheduled work of the deployment. Arguments are not shown, because they can contain content. */

/** Calls and rows that are read at once. The deployment keeps completed calls for a week. */
export const READ_MAX = 2000;
const LISTED = 50;
const REASON_LENGTH = 300;

const call = v.object({ id: v.string(), name: v.string(), at: v.number() });
const failedCall = v.object({ ...call.fields, reason: v.string() });
export type FailedCall = Infer<typeof failedCall>;

const bulkAction = v.object({
  id: v.id("bulkJobs"),
  person: personShape,
  type: v.string(),
  startedAt: v.number(),
  done: v.number(),
  failed: v.number(),
  total: v.number(),
});
export type RunningBulkAction = Infer<typeof bulkAction>;

const queue = v.object({ waiting: v.number(), failed: v.number() });

const state = v.object({
  /** `failed`: the newest first. `pending`: those that are due next first. `at`: time of the failure, or when the call is due. */
  failed: v.array(failedCall),
  pending: v.array(call),
  pendingCount: v.number(),
  bulkActions: v.array(bulkAction),
  webhooks: queue,
});
export type JobsState = Infer<typeof state>;

/** Returns the state of the newest scheduled calls. Not for subscriptions: every scheduled call would run it again. */
export const get = serverQueryForAdministrator({
  args: {},
  returns: state,
  handler: async (ctx) => {
    const calls = await ctx.db.system.query("_scheduled_functions").order("desc").take(READ_MAX);
    const pending = calls.filter(({ state: { kind } }) => kind === "pending" || kind === "inProgress");
    return {
      failed: calls
        .flatMap((each) => (each.state.kind === "failed" ? [{ ...shownCall(each), reason: reasonOf(each.state.error) }] : []))
        .toSorted((one, other) => other.at - one.at)
        .slice(0, LISTED),
      pending: pending
        .map(shownCall)
        .toSorted((one, other) => one.at - other.at)
        .slice(0, LISTED),
      pendingCount: pending.length,
      bulkActions: await runningBulkActions(ctx),
      webhooks: await webhookQueue(ctx),
    };
  },
});

type Call = SystemDataModel["_scheduled_functions"]["document"];

const shownCall = ({ _id, name, scheduledTime, completedTime }: Call): Infer<typeof call> => ({
  id: _id,
  name: nameOf(name),
  at: completedTime ?? scheduledTime,
});

const nameOf = (name: string): string => name.replace(/\.js(?=:|$)/, "");

/** Returns the first line without values of arguments, which validators quote. */
function reasonOf(error = ""): string {
  const [line = ""] = error.split(/\n|Value: |Object: /, 1);
  return cutText(line.trim(), REASON_LENGTH);
}

async function runningBulkActions(ctx: QueryCtx): Promise<RunningBulkAction[]> {
  const jobs = await ctx.db
    .query("bulkJobs")
    .withIndex("by_age")
    .order("desc")
    .take(READ_MAX / 10);
  const find = peopleIn(ctx);
  const running = jobs.filter((job) => job.state === "running").slice(0, LISTED);
  return Promise.all(
    running.map(async ({ _id, userId, action, at, done, failed, total }) => ({
      id: _id,
      person: (await find(userId)) ?? { id: userId, name: "", email: null },
      type: action.type,
      startedAt: at,
      done,
      failed,
      total,
    })),
  );
}

async function webhookQueue({ db }: QueryCtx): Promise<Infer<typeof queue>> {
  const waiting = await db
    .query("webhookDeliveries")
    .withIndex("by_due", (q) => q.gt("dueAt", 0))
    .take(READ_MAX / 10);
  const recent = await db
    .query("webhookDeliveries")
    .withIndex("by_age")
    .order("desc")
    .take(READ_MAX / 10);
  return { waiting: waiting.length, failed: recent.filter(({ isDelivered }) => isDelivered === false).length };
}

/** Runs a failed call again, with its arguments. Throws "conflict" unless it has failed. */
export const repeat = administratorMutation({
  args: { id: v.string() },
  returns: v.null(),
  handler: async (ctx, { id }) => {
    const known = ctx.db.system.normalizeId("_scheduled_functions", id);
    const failed = known && (await ctx.db.system.get(known));
    if (failed?.state.kind !== "failed") throw conflict("This job has not failed, or its result is no longer stored.");
    const name = nameOf(failed.name);
    await ctx.scheduler.runAfter(0, makeFunctionReference<"mutation">(name), failed.args[0] ?? {});
    await recordAuditEvent(ctx, { action: "job.repeated", details: { job: name } }, { actor: "administrator" });
    return null;
  },
});
