import { type FunctionReference, getFunctionName, makeFunctionReference } from "convex/server";
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalQuery, type MutationCtx } from "./_generated/server";
import { internalMutation } from "./model/functions";
import { recordAuditEvent } from "./model/audit/recordAuditEvent";

/** Functions for `npm run move` (decision 223), called with the deployment's admin key while READ_ONLY is set. */

const JOBS = 200;
const FILES = 500;
const ROWS = 500;

const nameOf = (job: FunctionReference<"mutation", "internal">): string => getFunctionName(job);

const cursor = v.union(v.string(), v.null());
const page = { cursor, isDone: v.boolean() };

/** Stores pending jobs of one page as rows and cancels them; the last page adds `recordMove`. Returns the numbers of pending and running jobs. */
export const pauseJobs = internalMutation({
  args: { cursor },
  returns: v.object({ ...page, paused: v.number(), running: v.number() }),
  handler: async (ctx, args) => {
    const { page, isDone, continueCursor } = await ctx.db.system
      .query("_scheduled_functions")
      .paginate({ cursor: args.cursor, numItems: JOBS });
    const pending = page.filter(({ state }) => state.kind === "pending");
    for (const { _id, name, args, scheduledTime } of pending) {
      await ctx.scheduler.cancel(_id);
      await ctx.db.insert("pausedJobs", { name: withoutExtension(name), args: args[0] ?? {}, at: scheduledTime });
    }
    if (isDone && !(await recordingOf(ctx)))
      await ctx.db.insert("pausedJobs", { name: nameOf(internal.moving.recordMove), args: {}, at: 0 });
    const running = page.filter(({ state }) => state.kind === "inProgress").length;
    return { cursor: continueCursor, isDone, paused: pending.length, running };
  },
});

/** Schedules a batch of the paused jobs again. `isMoved` is false when the move was given up. Returns whether there are more. */
export const resumeJobs = internalMutation({
  args: { isMoved: v.boolean() },
  returns: v.boolean(),
  handler: async (ctx, { isMoved }) => {
    const recording = isMoved ? null : await recordingOf(ctx);
    if (recording) await ctx.db.delete(recording._id);
    const jobs = await ctx.db.query("pausedJobs").take(JOBS);
    for (const { _id, name, args, at } of jobs) {
      const call = await ctx.scheduler.runAt(Math.max(at, Date.now()), makeFunctionReference<"mutation">(name), args);
      const bulkJob = name === nameOf(internal.jobs.bulk.run) ? ctx.db.normalizeId("bulkJobs", String(args.id)) : null;
      if (bulkJob && (await ctx.db.get(bulkJob))) await ctx.db.patch(bulkJob, { call });
      await ctx.db.delete(_id);
    }
    return jobs.length === JOBS;
  },
});

/** Removes the ids of scheduled functions from one page of bulk jobs. They are not valid in another deployment. */
export const forgetCalls = internalMutation({
  args: { cursor },
  returns: v.object(page),
  handler: async ({ db }, { cursor }) => {
    const { page, isDone, continueCursor } = await db.query("bulkJobs").paginate({ cursor, numItems: ROWS });
    for (const { _id, call } of page) if (call !== undefined) await db.patch(_id, { call: undefined });
    return { cursor: continueCursor, isDone };
  },
});

/** Records the move in the audit log. It is a paused job itself, so that it runs exactly once, in the target. */
export const recordMove = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    await recordAuditEvent(ctx, { action: "data.moved" }, { actor: "operator" });
    return null;
  },
});

/** Returns a page of the stored files. `url` is an address of the deployment's own origin. */
export const files = internalQuery({
  args: { cursor },
  returns: v.object({
    ...page,
    files: v.array(
      v.object({
        id: v.id("_storage"),
        creationTime: v.number(),
        sha256: v.string(),
        size: v.number(),
        contentType: v.optional(v.string()),
        url: v.string(),
      }),
    ),
  }),
  handler: async ({ db, storage }, { cursor }) => {
    const { page, isDone, continueCursor } = await db.system.query("_storage").paginate({ cursor, numItems: FILES });
    const files = await Promise.all(
      page.map(async ({ _id: id, _creationTime: creationTime, sha256, size, contentType }) => {
        const url = (await storage.getUrl(id)) ?? "";
        return { id, creationTime, sha256, size, url, ...(contentType !== undefined && { contentType }) };
      }),
    );
    return { cursor: continueCursor, isDone, files };
  },
});

export const removeFiles = internalMutation({
  args: { ids: v.array(v.id("_storage")) },
  returns: v.null(),
  handler: async ({ storage }, { ids }) => {
    for (const id of ids) await storage.delete(id);
    return null;
  },
});

const recordingOf = ({ db }: MutationCtx) =>
  db
    .query("pausedJobs")
    .withIndex("by_name", (q) => q.eq("name", nameOf(internal.moving.recordMove)))
    .first();

/** Convex stores `jobs/purge.js:project`, the embedded deployment `jobs/purge:project`. */
const withoutExtension = (name: string): string => name.replace(/\.js(?=:|$)/, "");
