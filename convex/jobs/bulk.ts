import { v } from "convex/values";
import { internal } from "../_generated/api";
import type { Doc } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { internalMutation } from "../model/functions";
import { ifVisible, type UserMutationCtx } from "../model/access";
import { applyAction } from "../model/bulk/applyAction";
import { batchSize, inBatches, listSize, partOf, scheduleBatch, smallerBatch } from "../model/bulk/batches";
import type { BulkAction, BulkSelection } from "../model/bulk/bulkTables";
import { expectContainer, selectedPage } from "../model/bulk/selectedPage";
import { notFound, refusalOf, type Refusal } from "../model/errors";
import { withLimits } from "../model/limits/limits";
import { recordChanges, replaceStep, stepRows } from "../model/undo/recordChanges";
import { expectUnchanged, withCachedReads, revertChanges } from "../model/undo/revertChanges";
import type { Change } from "../model/undo/undoTables";

/** Lists a selection, then runs its action in batches. Each schedules the next in its own transaction, so a restart repeats nothing. */

const FAILURES_MAX = 100;
/** Maximum nested calls per transaction. Their reads count towards its limits, even if the call is refused. */
const CALLS_MAX = 30;

type Failure = { id: string; reason: string };

export const run = internalMutation({
  args: { id: v.id("bulkJobs"), run: v.number() },
  returns: v.null(),
  handler: async (ctx, { id, run }) => {
    const job = await ctx.db.get(id);
    if (!job || job.state !== "running" || job.run !== run) return null;
    const progress = job.phase === "do" ? await doNext(ctx, job) : await revertNext(ctx, job);
    // Removes the note from the job, so that deleting the items deletes all copies of the note.
    if (progress === "done") await ctx.db.patch(id, { state: "done", action: withoutNote(job.action) });
    else if (progress === "failed") await ctx.db.patch(id, { state: "cancelled", run: run + 1, batch: smallerBatch(job) });
    else await scheduleBatch(ctx, id, run);
    return null;
  },
});

const withoutNote = (action: BulkAction): BulkAction => (action.type === "review" ? { type: "review", status: action.status } : action);

type Progress = "more" | "done" | "failed";

async function doNext(ctx: MutationCtx, job: Doc<"bulkJobs">): Promise<Progress> {
  const [selection, user] = [await ctx.db.get(job.selectionId), await userOf(ctx, job)];
  if (!selection || !user) return "done";
  const acting = { ...ctx, user };
  if (selection.place && !(await ifVisible(expectContainer(acting, selection.place)))) {
    await ctx.db.patch(job._id, {
      waiting: [],
      failed: job.total - job.done,
      failures: [...job.failures, containerGone(selection)].slice(0, FAILURES_MAX),
    });
    return "done";
  }
  if (job.isListed !== true && (job.waiting ?? []).length > 0) return applyNext(ctx, await asListed(ctx, job), selection);
  return job.isListed === true ? applyNext(ctx, job, selection) : listNext(acting, job, selection);
}

async function asListed(ctx: MutationCtx, job: Doc<"bulkJobs">): Promise<Doc<"bulkJobs">> {
  if (job.cursor !== null) return job;
  const listed = { isListed: true, pages: 0 };
  await ctx.db.patch(job._id, listed);
  return { ...job, ...listed };
}

/** Stores a page of the selection, so that neither a reordering nor the action itself changes which items follow. */
async function listNext(ctx: UserMutationCtx, job: Doc<"bulkJobs">, selection: Doc<"bulkSelections">): Promise<Progress> {
  const { userId, selectionId, pages = 0 } = job;
  const { ids, cursor } = await selectedPage(ctx, selection, job.cursor, selection.place ? listSize(job) : selection.ids.length);
  const stored = ctx.db.query("bulkPages").withIndex("by_selection", (q) => q.eq("selectionId", selectionId));
  const listed = new Set<string>();
  for await (const page of stored) for (const id of page.ids) listed.add(id);
  const added = ids.filter((id) => !listed.has(id));
  const batches = inBatches(added, batchSize(job));
  for (const [index, batch] of batches.entries())
    await ctx.db.insert("bulkPages", { userId, at: job.at, selectionId, number: pages + index, ids: batch });
  await ctx.db.patch(job._id, {
    cursor,
    pages: pages + batches.length,
    ...(cursor === null && { isListed: true, total: job.done + job.failed + listed.size + added.length }),
  });
  return "more";
}

async function applyNext(ctx: MutationCtx, job: Doc<"bulkJobs">, { place: container }: BulkSelection): Promise<Progress> {
  const { waiting = [], selectionId } = job;
  const number = Number(job.cursor ?? 0);
  const page =
    waiting.length > 0
      ? null
      : await ctx.db
          .query("bulkPages")
          .withIndex("by_selection", (q) => q.eq("selectionId", selectionId).eq("number", number))
          .unique();
  const todo = waiting.length > 0 ? waiting : [page?.ids ?? []];
  const isTargetLimited =
    job.action.type === "copy" || (container !== undefined && job.action.type === "favourite" && job.kind === "design");
  const { done, parts, changed, failures, remaining, isBroken } = await tryParts(job, todo, isTargetLimited, async (ids, part) => {
    const changed = await ctx.runMutation(internal.jobs.bulk.applyPart, { id: job._id, ids, part: job.parts + part });
    return { done: ids.length, changed, failures: [] };
  });
  await ctx.db.patch(job._id, {
    ...(page && { cursor: String(number + 1) }),
    waiting: remaining,
    done: job.done + done,
    parts: job.parts + parts,
    applied: (job.applied ?? job.done) + changed,
    failed: job.failed + failures.length,
    failures: [...job.failures, ...failures].slice(0, FAILURES_MAX),
  });
  if (isBroken) return "failed";
  return remaining.length > 0 || job.isListed !== true || number + (page ? 1 : 0) < (job.pages ?? 0) ? "more" : "done";
}

const containerGone = ({ place: container }: BulkSelection): Failure => ({
  id: container?.id ?? "",
  reason: `The ${container?.kind ?? "selection"} was deleted or is no longer accessible.`,
});

type Tried = { done: number; changed: number; failures: Failure[] };
type Parts = Tried & { parts: number; remaining: string[][]; isBroken: boolean };

/** Halves a refused part until only refused items remain. If a limit of the target refuses one item, all remaining items are refused. */
async function tryParts(
  job: Doc<"bulkJobs">,
  todo: string[][],
  isTargetLimited: boolean,
  attempt: (ids: string[], part: number) => Promise<Tried>,
): Promise<Parts> {
  const remaining = todo.flatMap((ids) => inBatches(ids, batchSize(job)));
  const result: Parts = { done: 0, changed: 0, parts: 0, failures: [], remaining, isBroken: false };
  // A job that exceeded a transaction's limits runs one part per transaction from then on.
  const callsMax = job.batch === undefined ? CALLS_MAX : 1;
  for (let calls = 0; calls < callsMax; calls++) {
    const [part, ...others] = result.remaining;
    if (!part) break;
    try {
      const tried = await attempt(part, result.parts);
      result.done += tried.done;
      result.changed += tried.changed;
      result.failures.push(...tried.failures);
      result.parts++;
      result.remaining = others;
    } catch (error) {
      const refusal = refusalOf(error);
      if (!refusal) return { ...result, isBroken: true };
      if (part.length > 1) {
        const half = Math.floor(part.length / 2);
        result.remaining = [part.slice(0, half), part.slice(half), ...others];
        continue;
      }
      const isRestRefused = isTargetLimited && refusal.code === "limit";
      const refused = isRestRefused ? result.remaining.flat() : part;
      result.failures.push(...refused.map((id) => ({ id, reason: reasonOf(refusal) })));
      result.remaining = isRestRefused ? [] : others;
    }
  }
  return result;
}

function reasonOf(refusal: Refusal): string {
  if (refusal.code === "not_found") return "It may have been deleted.";
  return refusal.message ?? Object.values(refusal.fieldErrors ?? {})[0]?.[0] ?? "Something went wrong.";
}

/** Returns the number of changed items. Unchanged items cannot be undone. */
export const applyPart = internalMutation({
  args: { id: v.id("bulkJobs"), ids: v.array(v.string()), part: v.number() },
  returns: v.number(),
  handler: async (ctx, { id, ids, part }) => {
    const job = await ctx.db.get(id);
    const acting = job && (await actingFor(ctx, job));
    if (!job || !acting) throw notFound();
    const recorder = recordChanges(acting);
    const step = partOf(job.step, part);
    await applyAction({ ...acting, db: recorder.db, step: { name: step, jobId: id } }, job.kind, job.action, ids);
    const changes = recorder.changes();
    await replaceStep(ctx, job.userId, step, [{ changes, isUndone: false }]);
    return changes.length;
  },
});

async function revertNext(ctx: MutationCtx, job: Doc<"bulkJobs">): Promise<Progress> {
  const isUndo = job.phase === "undo";
  const { part, waiting = [] } = job;
  if (part < 0 || part >= job.parts) return "done";
  const { open } = waiting.length > 0 ? { open: [] } : await partChanges(ctx, job, part);
  const todo = waiting.length > 0 ? waiting : [open.map(({ id }) => id)];
  const isTargetLimited = !isUndo && job.action.type === "copy";
  const { done, failures, remaining, isBroken } = await tryParts(job, todo, isTargetLimited, async (ids) => {
    const tried = await ctx.runMutation(internal.jobs.bulk.revertPart, { id: job._id, part, ids });
    return { ...tried, changed: tried.done };
  });
  const next = remaining.length > 0 ? part : isUndo ? part - 1 : part + 1;
  const { applied = isUndo ? job.total : 0, undone = isUndo ? 0 : job.total } = job;
  await ctx.db.patch(job._id, {
    part: next,
    waiting: remaining,
    done: job.done + done,
    applied: isUndo ? applied - done : applied + done,
    undone: isUndo ? undone + done : undone - done,
    failed: job.failed + failures.length,
    failures: [...job.failures, ...failures].slice(0, FAILURES_MAX),
  });
  if (isBroken) return "failed";
  return next < 0 || next >= job.parts ? "done" : "more";
}

async function partChanges(ctx: MutationCtx, job: Doc<"bulkJobs">, part: number): Promise<{ open: Change[]; closed: Change[] }> {
  const isUndo = job.phase === "undo";
  const rows = await stepRows(ctx, job.userId, partOf(job.step, part));
  const changesWhere = (isOpen: boolean) =>
    rows.filter((row) => ((row.isUndone ?? !isUndo) !== isUndo) === isOpen).flatMap((row) => row.changes);
  return { open: changesWhere(true), closed: changesWhere(false) };
}

export const revertPart = internalMutation({
  args: { id: v.id("bulkJobs"), part: v.number(), ids: v.optional(v.array(v.string())) },
  returns: v.object({ done: v.number(), failures: v.array(v.object({ id: v.string(), reason: v.string() })) }),
  handler: async (ctx, { id, part, ids }) => {
    const job = await ctx.db.get(id);
    const acting = job && (await actingFor(ctx, job));
    if (!job || !acting) throw notFound();
    const { open, closed } = await partChanges(ctx, job, part);
    const requested = ids && new Set(ids);
    const reading = withCachedReads(acting);
    const blocked = new Map<string, string>();
    const free: Change[] = [];
    for (const change of open) {
      if (requested && !requested.has(change.id)) continue;
      try {
        await expectUnchanged(reading, change);
        free.push(change);
      } catch (error) {
        const refusal = refusalOf(error);
        if (!refusal) throw error;
        blocked.set(change.id, reasonOf(refusal));
      }
    }
    const recorder = recordChanges(acting);
    const step = partOf(job.step, part);
    await revertChanges({ ...acting, db: recorder.db, step: { name: step, jobId: id } }, free);
    const isUndone = job.phase === "undo";
    await replaceStep(ctx, job.userId, step, [
      { changes: open.filter((change) => !free.includes(change)), isUndone: !isUndone },
      { changes: [...closed, ...recorder.changes()], isUndone },
    ]);
    return { done: free.length, failures: [...blocked].map(([id, reason]) => ({ id, reason })) };
  },
});

const userOf = ({ db }: MutationCtx, { userId }: Doc<"bulkJobs">): Promise<Doc<"users"> | null> =>
  db
    .query("users")
    .withIndex("id", (q) => q.eq("id", userId))
    .unique();

async function actingFor(ctx: MutationCtx, job: Doc<"bulkJobs">): Promise<UserMutationCtx | null> {
  const user = await userOf(ctx, job);
  return user && withLimits({ ...ctx, user }, job.userId, job);
}
