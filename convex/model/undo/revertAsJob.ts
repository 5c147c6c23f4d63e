import type { Doc, Id } from "../../_generated/dataModel";
import type { UserMutationCtx } from "../access";
import { partOf, scheduleBatch } from "../bulk/batches";
import type { BulkAction, BulkKind } from "../bulk/bulkTables";
import { expectFewRunning } from "../bulk/expectFewRunning";
import { limitsOf } from "../limits/limits";
import { replaceStep, STEP_MAX } from "./recordChanges";
import type { Change, Field } from "./undoTables";

/** Changes that one transaction reverts. With long names and many tags, 500 can take more than its second of computation. */
export const REVERTED_AT_ONCE = 100;

/** Turns a large step into a bulk job that undoes it in parts. Returns false for a step that must be undone at once. */
export async function revertAsJob(ctx: UserMutationCtx, step: string, rows: Doc<"undoSteps">[]): Promise<boolean> {
  const changes = rows.flatMap((row) => row.changes);
  const [first] = changes;
  const kind = bulkKindOf(changes);
  const parts = Math.ceil(changes.length / REVERTED_AT_ONCE);
  if (!first || !kind || parts < 2 || partOf(step, parts).length > STEP_MAX) return false;
  await expectFewRunning(ctx);
  for (const { _id } of rows) await ctx.db.delete(_id);
  for (let part = 0; part < parts; part++) {
    const group = changes.slice(part * REVERTED_AT_ONCE, (part + 1) * REVERTED_AT_ONCE);
    await replaceStep(ctx, ctx.user.id, partOf(step, part), [{ changes: group, isUndone: false }]);
  }
  await scheduleBatch(ctx, await insertJob(ctx, { step, kind, parts, action: actionOf(first), total: changes.length }), 0);
  return true;
}

type Job = Pick<Doc<"bulkJobs">, "step" | "kind" | "action" | "parts" | "total">;

async function insertJob(ctx: UserMutationCtx, job: Job): Promise<Id<"bulkJobs">> {
  const at = Date.now();
  const { id: userId } = ctx.user;
  const selectionId = await ctx.db.insert("bulkSelections", { userId, at, kind: job.kind, ids: [], until: at });
  return ctx.db.insert("bulkJobs", {
    ...job,
    ...(await limitsOf(ctx)),
    userId,
    at,
    selectionId,
    state: "running",
    phase: "undo",
    run: 0,
    cursor: null,
    isListed: true,
    pages: 0,
    part: job.parts - 1,
    applied: job.total,
    undone: 0,
    done: 0,
    failed: 0,
    failures: [],
    isDismissed: false,
  });
}

function bulkKindOf(changes: Change[]): BulkKind | null {
  for (const kind of ["image", "design"] as const) if (changes.every((change) => change.kind === kind)) return kind;
  return null;
}

function actionOf({ before, after }: Change): BulkAction {
  const has = (field: Field) => field in before || field in after;
  // `recordChanges` stores 0 for an inserted item.
  if (before.removedAt === 0) return { type: "copy", to: "" };
  if (has("removedAt")) return { type: "trash" };
  if (has("designId") || has("projectId")) return { type: "move", to: after.designId ?? after.projectId ?? "" };
  if (has("favouriteAt")) return { type: "favourite", favourite: after.favouriteAt !== undefined };
  if (has("review")) return { type: "review", status: after.review?.status ?? "none" };
  return (before.tags ?? []).length > (after.tags ?? []).length ? { type: "untag", tag: "" } : { type: "tag", tag: "" };
}
