import { v } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import { designFor, ifVisible, imageFor, projectFor, userMutation, type UserMutationCtx, userQuery } from "./model/access";
import { scheduleBatch, smallerBatch, stateOf } from "./model/bulk/batches";
import { type BulkAction, bulkAction, bulkKind, bulkPhase, bulkContainer, bulkState, type BulkContainer } from "./model/bulk/bulkTables";
import { expectFewRunning } from "./model/bulk/expectFewRunning";
import { check } from "./model/check";
import { invalid, notFound } from "./model/errors";
import { limitsOf } from "./model/limits/limits";
import { countWith } from "./model/review/statuses";
import { BULK_IDS_MAX, addTag, reviewItem } from "./model/rules";
import { STEP_MAX } from "./model/undo/recordChanges";

/** Bulk actions on more items than one transaction can change: a stored selection and a job (`jobs/bulk.ts`). */

/** Starts a job for `ids`, or for all present items of the container except `ids`. Throws "not_found" for container and target only, and "limit" above `RUNNING_MAX` jobs. */
export const start = userMutation({
  args: { kind: bulkKind, action: bulkAction, place: v.optional(bulkContainer), ids: v.array(v.string()), step: v.string() },
  returns: v.id("bulkJobs"),
  handler: async (ctx, { kind, action, place: container, step, ...args }) => {
    const ids = [...new Set(args.ids)];
    if (ids.length > BULK_IDS_MAX) throw invalid({ ids: [`Select at most ${BULK_IDS_MAX} items individually, or select all.`] });
    if (step === "" || step.length > STEP_MAX / 2) throw invalid({ step: ["This action cannot be stored for undo."] });
    if (action.type === "favourite" && kind === "image") throw notFound();
    if (action.type === "tag" || action.type === "untag") check(addTag, action);
    const storedAction = action.type === "review" ? withNote(action) : action;
    if ("to" in action) await (kind === "image" ? designFor(ctx, action.to, "edit") : projectFor(ctx, action.to, "edit"));
    const total = container ? Math.max(0, (await countIn(ctx, kind, container)) - ids.length) : ids.length;
    if (total === 0) throw invalid({ ids: ["Nothing selected."] });
    const { id: userId } = ctx.user;
    await expectFewRunning(ctx);
    const at = Date.now();
    const selection = { kind, ids, until: at, ...(container && { place: container }) };
    const selectionId = await ctx.db.insert("bulkSelections", { userId, at, ...selection });
    const id = await ctx.db.insert("bulkJobs", {
      userId,
      step,
      at,
      selectionId,
      kind,
      action: storedAction,
      ...(await limitsOf(ctx)),
      state: "running",
      phase: "do",
      run: 0,
      cursor: null,
      parts: 0,
      part: 0,
      total,
      done: 0,
      failed: 0,
      failures: [],
      isDismissed: false,
    });
    await scheduleBatch(ctx, id, 0);
    return id;
  },
});

function withNote({ note: typed = "", ...action }: Extract<BulkAction, { type: "review" }>): BulkAction {
  const { note } = check(reviewItem, { note: typed });
  return { ...action, ...(note !== "" && { note }) };
}

async function countIn(ctx: UserMutationCtx, kind: "image" | "design", container: BulkContainer): Promise<number> {
  if (container.kind === "project") {
    const { imageCount, designCount, reviews } = await projectFor(ctx, container.id, "view");
    return kind === "image"
      ? countWith(container.review, imageCount, reviews?.images)
      : countWith(container.review, designCount, reviews?.designs);
  }
  if (kind === "design") throw notFound();
  const { design } = await designFor(ctx, container.id, "view");
  return countWith(container.review, design.imageCount, design.imageReviews);
}

const job = { id: v.string() };

export const cancel = userMutation({
  args: job,
  returns: v.null(),
  handler: async (ctx, { id }) => {
    const row = await jobFor(ctx, id);
    if (row.state === "running") await ctx.db.patch(row._id, { state: "cancelled", run: row.run + 1 });
    return null;
  },
});

export const resume = userMutation({
  args: job,
  returns: v.null(),
  handler: async (ctx, { id }) => {
    const row = await jobFor(ctx, id);
    if ((await stateOf(ctx, row)) !== "cancelled") return null;
    await expectFewRunning(ctx);
    const run = row.run + 1;
    const isOverLimit = row.state === "running";
    await ctx.db.patch(row._id, { state: "running", run, ...(isOverLimit && { batch: smallerBatch(row) }) });
    await scheduleBatch(ctx, row._id, run);
    return null;
  },
});

export const dismiss = userMutation({
  args: job,
  returns: v.null(),
  handler: async (ctx, { id }) => {
    const row = await jobFor(ctx, id);
    if ((await stateOf(ctx, row)) !== "running") await ctx.db.patch(row._id, { isDismissed: true });
    return null;
  },
});

const SHOWN = 3;
const FAILURES_SHOWN = 20;

const jobShape = v.object({
  _id: v.id("bulkJobs"),
  step: v.string(),
  kind: bulkKind,
  action: v.string(),
  state: bulkState,
  phase: bulkPhase,
  total: v.number(),
  done: v.number(),
  failed: v.number(),
  /** The first failures; `name` is null for items that the user can no longer see. */
  failures: v.array(v.object({ id: v.string(), name: v.union(v.string(), v.null()), reason: v.string() })),
});

export const getRecent = userQuery({
  args: {},
  returns: v.array(jobShape),
  handler: async (ctx) => {
    const rows = await ctx.db
      .query("bulkJobs")
      .withIndex("by_start", (q) => q.eq("userId", ctx.user.id).eq("isDismissed", false))
      .order("desc")
      .take(SHOWN);
    return Promise.all(
      rows.map(async (row) => {
        const { _id, step, kind, action, phase, total, done, failed, failures } = row;
        const state = await stateOf(ctx, row);
        const nameOf = async (id: string) =>
          kind === "image"
            ? (await ifVisible(imageFor(ctx, id, "view")))?.image.name
            : (await ifVisible(designFor(ctx, id, "view")))?.design.name;
        const shown = failures.slice(0, FAILURES_SHOWN);
        const named = await Promise.all(shown.map(async ({ id, reason }) => ({ id, reason, name: (await nameOf(id)) ?? null })));
        return { _id, step, kind, action: action.type, state, phase, total, done, failed, failures: named };
      }),
    );
  },
});

async function jobFor(ctx: UserMutationCtx, id: string): Promise<Doc<"bulkJobs">> {
  const jobId = ctx.db.normalizeId("bulkJobs", id);
  const row = jobId && (await ctx.db.get(jobId));
  if (!row || row.userId !== ctx.user.id) throw notFound();
  return row;
}
