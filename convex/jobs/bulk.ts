import { v } from "convex/values";
import { internal } from "../_generated/api";
import type { Doc } from "../_generated/dataModel";
import { internalMutation, type MutationCtx } from "../_generated/server";
import { ifVisible, type UserMutationCtx } from "../model/access";
import { applyAction } from "../model/bulk/applyAction";
import type { BulkSelection } from "../model/bulk/bulkTables";
import { selectedPage } from "../model/bulk/selectedPage";
import { notFound, refusalOf } from "../model/errors";
import { recordChanges, stepRows } from "../model/undo/recordChanges";
import { expectUnchanged, revertChanges } from "../model/undo/revertChanges";
import type { Change } from "../model/undo/undoTables";

/** Runs a bulk action in batches. Each batch schedules the next in its own transaction, so a restart repeats nothing. */

const BATCH = 100;
/** Each copied design starts a job of its own. */
const COPIED_DESIGNS = 20;
const FAILURES_MAX = 100;

export const partOf = (step: string, part: number): string => `${step} ${part}`;

type Failure = { id: string; reason: string };

export const run = internalMutation({
  args: { id: v.id("bulkJobs"), run: v.number() },
  returns: v.null(),
  handler: async (ctx, { id, run }) => {
    const job = await ctx.db.get(id);
    if (!job || job.state !== "running" || job.run !== run) return null;
    const isDone = job.phase === "do" ? await applyNext(ctx, job) : await revertNext(ctx, job);
    if (isDone) await ctx.db.patch(id, { state: "done" });
    else await ctx.scheduler.runAfter(0, internal.jobs.bulk.run, { id, run });
    return null;
  },
});

async function applyNext(ctx: MutationCtx, job: Doc<"bulkJobs">): Promise<boolean> {
  const [selection, user] = [await ctx.db.get(job.selectionId), await userOf(ctx, job)];
  if (!selection || !user) return true;
  const size = job.kind === "design" && job.action.type === "copy" ? COPIED_DESIGNS : BATCH;
  // The place was deleted, or access to it has ended: the rest cannot be listed.
  const page = await ifVisible(selectedPage({ ...ctx, user }, selection, job.cursor, size));
  const { done, parts, failures } = await applyParts(ctx, job, page?.ids ?? []);
  await ctx.db.patch(job._id, {
    cursor: page?.cursor ?? null,
    done: job.done + done,
    parts: job.parts + parts,
    failed: page ? job.failed + failures.length : job.total - job.done,
    failures: [...job.failures, ...failures, ...(page ? [] : [placeGone(selection)])].slice(0, FAILURES_MAX),
  });
  return !page || page.cursor === null;
}

const placeGone = ({ place }: BulkSelection): Failure => ({
  id: place?.id ?? "",
  reason: `The ${place?.kind ?? "selection"} was deleted or is no longer accessible.`,
});

type Applied = { done: number; parts: number; failures: Failure[] };

/** Halves a refused batch until the refused items are alone: a refused transaction changes nothing. */
async function applyParts(ctx: MutationCtx, job: Doc<"bulkJobs">, ids: string[]): Promise<Applied> {
  const result: Applied = { done: 0, parts: 0, failures: [] };
  const queue = ids.length === 0 ? [] : [ids];
  for (let part = queue.shift(); part; part = queue.shift()) {
    try {
      await ctx.runMutation(internal.jobs.bulk.apply, { id: job._id, ids: part, part: job.parts + result.parts });
      result.done += part.length;
      result.parts++;
    } catch (error) {
      const [first, ...rest] = part;
      if (first === undefined) continue;
      if (rest.length === 0) result.failures.push({ id: first, reason: reasonOf(error) });
      else queue.unshift(part.slice(0, part.length / 2), part.slice(part.length / 2));
    }
  }
  return result;
}

function reasonOf(error: unknown): string {
  const refusal = refusalOf(error);
  if (refusal?.code === "not_found") return "It may have been deleted.";
  return refusal?.message ?? Object.values(refusal?.fieldErrors ?? {})[0]?.[0] ?? "Something went wrong.";
}

export const apply = internalMutation({
  args: { id: v.id("bulkJobs"), ids: v.array(v.string()), part: v.number() },
  returns: v.null(),
  handler: async (ctx, { id, ids, part }) => {
    const job = await ctx.db.get(id);
    const acting = job && (await actingFor(ctx, job));
    if (!job || !acting) throw notFound();
    const recorder = recordChanges(acting);
    await applyAction({ ...acting, db: recorder.db }, job.kind, job.action, ids);
    await recorder.save(partOf(job.step, part));
    return null;
  },
});

/** Undoes the parts from the last to the first, and redoes them from the first on. */
async function revertNext(ctx: MutationCtx, job: Doc<"bulkJobs">): Promise<boolean> {
  const isUndo = job.phase === "undo";
  const { part } = job;
  if (part < 0 || part >= job.parts) return true;
  let result: { done: number; failures: Failure[] };
  try {
    result = await ctx.runMutation(internal.jobs.bulk.revertPart, { id: job._id, part });
  } catch (error) {
    const changes = (await stepRows(ctx, job.userId, partOf(job.step, part))).flatMap((row) => row.changes);
    result = { done: 0, failures: itemsOf(changes).map((id) => ({ id, reason: reasonOf(error) })) };
  }
  await ctx.db.patch(job._id, {
    part: isUndo ? part - 1 : part + 1,
    done: job.done + result.done,
    failed: job.failed + result.failures.length,
    failures: [...job.failures, ...result.failures].slice(0, FAILURES_MAX),
  });
  return isUndo ? part === 0 : part === job.parts - 1;
}

export const revertPart = internalMutation({
  args: { id: v.id("bulkJobs"), part: v.number() },
  returns: v.object({ done: v.number(), failures: v.array(v.object({ id: v.string(), reason: v.string() })) }),
  handler: async (ctx, { id, part }) => {
    const job = await ctx.db.get(id);
    const acting = job && (await actingFor(ctx, job));
    if (!job || !acting) throw notFound();
    const step = partOf(job.step, part);
    const changes = (await stepRows(ctx, job.userId, step)).flatMap((row) => row.changes);
    const blocked = new Map<string, string>();
    for (const change of changes) {
      try {
        await expectUnchanged(acting, change);
      } catch (error) {
        blocked.set(change.id, reasonOf(error));
      }
    }
    const free = changes.filter((change) => !blocked.has(change.id));
    const recorder = recordChanges(acting);
    await revertChanges({ ...acting, db: recorder.db }, free);
    await recorder.save(step);
    return { done: itemsOf(free).length, failures: [...blocked].map(([id, reason]) => ({ id, reason })) };
  },
});

const itemsOf = (changes: Change[]): string[] => [...new Set(changes.map(({ id }) => id))];

const userOf = ({ db }: MutationCtx, { userId }: Doc<"bulkJobs">): Promise<Doc<"users"> | null> =>
  db
    .query("users")
    .withIndex("id", (q) => q.eq("id", userId))
    .unique();

/** The caller's rights and plan limits, without a token. Null after the account was deleted. */
async function actingFor(ctx: MutationCtx, job: Doc<"bulkJobs">): Promise<UserMutationCtx | null> {
  const user = await userOf(ctx, job);
  const { isLimited: limited } = job;
  const getUserIdentity = async () => ({ tokenIdentifier: "", subject: job.userId, issuer: "", limited });
  return user && { ...ctx, user, auth: { ...ctx.auth, getUserIdentity } };
}
