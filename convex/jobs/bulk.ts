import { v } from "convex/values";
import { internal } from "../_generated/api";
import type { Doc } from "../_generated/dataModel";
import { internalMutation, type MutationCtx } from "../_generated/server";
import { ifVisible, type UserMutationCtx } from "../model/access";
import { applyAction } from "../model/bulk/applyAction";
import type { BulkSelection } from "../model/bulk/bulkTables";
import { selectedPage } from "../model/bulk/selectedPage";
import { notFound, refusalOf, type Refusal } from "../model/errors";
import { recordChanges, stepRows } from "../model/undo/recordChanges";
import { expectUnchanged, revertChanges } from "../model/undo/revertChanges";
import type { Change } from "../model/undo/undoTables";

/** Runs a bulk action in batches. Each batch schedules the next in its own transaction, so a restart repeats nothing. */

const BATCH = 100;
/** Each copied design starts a job of its own. */
const COPIED_DESIGNS = 20;
const FAILURES_MAX = 100;
/** Nested calls of one transaction: their reads count towards its limits, also those of refused calls. */
const CALLS_MAX = 30;

export const partOf = (step: string, part: number): string => `${step} ${part}`;

type Failure = { id: string; reason: string };

export const run = internalMutation({
  args: { id: v.id("bulkJobs"), run: v.number() },
  returns: v.null(),
  handler: async (ctx, { id, run }) => {
    const job = await ctx.db.get(id);
    if (!job || job.state !== "running" || job.run !== run) return null;
    const progress = job.phase === "do" ? await applyNext(ctx, job) : await revertNext(ctx, job);
    if (progress === "done") await ctx.db.patch(id, { state: "done" });
    else if (progress === "failed") await ctx.db.patch(id, { state: "cancelled", run: run + 1 });
    else await ctx.scheduler.runAfter(0, internal.jobs.bulk.run, { id, run });
    return null;
  },
});

/** "failed": an unexpected error, after which the job can be resumed. */
type Progress = "more" | "done" | "failed";

async function applyNext(ctx: MutationCtx, job: Doc<"bulkJobs">): Promise<Progress> {
  const [selection, user] = [await ctx.db.get(job.selectionId), await userOf(ctx, job)];
  if (!selection || !user) return "done";
  const size = job.kind === "design" && job.action.type === "copy" ? COPIED_DESIGNS : BATCH;
  const { waiting = [] } = job;
  // The place was deleted, or access to it has ended: the rest cannot be listed.
  const page =
    waiting.length > 0 ? { ids: [], cursor: job.cursor } : await ifVisible(selectedPage({ ...ctx, user }, selection, job.cursor, size));
  const isTargetLimited = job.action.type === "copy" || (job.action.type === "favourite" && selection.place !== undefined);
  const { done, parts, failures, left, isBroken } = await applyParts(
    ctx,
    job,
    waiting.length > 0 ? waiting : [page?.ids ?? []],
    isTargetLimited,
  );
  await ctx.db.patch(job._id, {
    cursor: page?.cursor ?? null,
    waiting: left,
    done: job.done + done,
    parts: job.parts + parts,
    failed: page ? job.failed + failures.length : job.total - job.done,
    failures: [...job.failures, ...failures, ...(page ? [] : [placeGone(selection)])].slice(0, FAILURES_MAX),
  });
  if (isBroken) return "failed";
  return left.length > 0 || (page && page.cursor !== null) ? "more" : "done";
}

const placeGone = ({ place }: BulkSelection): Failure => ({
  id: place?.id ?? "",
  reason: `The ${place?.kind ?? "selection"} was deleted or is no longer accessible.`,
});

type Applied = { done: number; parts: number; failures: Failure[]; left: string[][]; isBroken: boolean };

/**
 * Halves a refused part until the refused items are alone: a refused transaction changes nothing. If a limit of the target
 * refuses a single item, the rest is refused too.
 */
async function applyParts(ctx: MutationCtx, job: Doc<"bulkJobs">, todo: string[][], isTargetLimited: boolean): Promise<Applied> {
  const result: Applied = { done: 0, parts: 0, failures: [], left: todo.filter(({ length }) => length > 0), isBroken: false };
  for (let calls = 0; calls < CALLS_MAX; calls++) {
    const [part, ...others] = result.left;
    if (!part) break;
    try {
      await ctx.runMutation(internal.jobs.bulk.apply, { id: job._id, ids: part, part: job.parts + result.parts });
      result.done += part.length;
      result.parts++;
      result.left = others;
    } catch (error) {
      const refusal = refusalOf(error);
      if (!refusal) return { ...result, isBroken: true };
      if (part.length > 1) {
        const half = Math.floor(part.length / 2);
        result.left = [part.slice(0, half), part.slice(half), ...others];
        continue;
      }
      const isRestRefused = isTargetLimited && refusal.code === "limit";
      const refused = isRestRefused ? result.left.flat() : part;
      result.failures.push(...refused.map((id) => ({ id, reason: reasonOf(refusal) })));
      result.left = isRestRefused ? [] : others;
    }
  }
  return result;
}

function reasonOf(refusal: Refusal): string {
  if (refusal.code === "not_found") return "It may have been deleted.";
  return refusal.message ?? Object.values(refusal.fieldErrors ?? {})[0]?.[0] ?? "Something went wrong.";
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
async function revertNext(ctx: MutationCtx, job: Doc<"bulkJobs">): Promise<Progress> {
  const isUndo = job.phase === "undo";
  const { part } = job;
  if (part < 0 || part >= job.parts) return "done";
  let result: { done: number; failures: Failure[] };
  try {
    result = await ctx.runMutation(internal.jobs.bulk.revertPart, { id: job._id, part });
  } catch (error) {
    const refusal = refusalOf(error);
    if (!refusal) return "failed";
    const changes = (await stepRows(ctx, job.userId, partOf(job.step, part))).flatMap((row) => row.changes);
    result = { done: 0, failures: itemsOf(changes).map((id) => ({ id, reason: reasonOf(refusal) })) };
  }
  await ctx.db.patch(job._id, {
    part: isUndo ? part - 1 : part + 1,
    done: job.done + result.done,
    failed: job.failed + result.failures.length,
    failures: [...job.failures, ...result.failures].slice(0, FAILURES_MAX),
  });
  return part === (isUndo ? 0 : job.parts - 1) ? "done" : "more";
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
        const refusal = refusalOf(error);
        if (!refusal) throw error;
        blocked.set(change.id, reasonOf(refusal));
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
