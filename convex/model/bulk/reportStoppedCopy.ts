import type { Doc } from "../../_generated/dataModel";
import type { MutationCtx } from "../../_generated/server";

export const NO_UNDO_STEP = "";
const FAILURES_MAX = 100;
const OPEN_STATUSES_READ = 3;

type Stopped = {
  /** Who started the copy. Rows of earlier builds do not store it. */
  userId: string | undefined;
  into: Doc<"projects">;
  design: Doc<"designs">;
  isMove: boolean;
  copied: number;
  total: number;
};

export async function reportStoppedCopy({ db }: MutationCtx, { userId, into, design, isMove, copied, total }: Stopped): Promise<void> {
  if (userId === undefined) return;
  const owner = userId === into.ownerId ? "You have" : "The project's owner has";
  const kept = isMove ? " The original was not moved." : "";
  const failure = {
    id: design._id,
    reason: `${owner} reached the limit of the plan or storage. ${copied} of ${total} images were copied.${kept}`,
  };
  const type = isMove ? ("move" as const) : ("copy" as const);
  const recent = await db
    .query("bulkJobs")
    .withIndex("by_start", (q) => q.eq("userId", userId).eq("isDismissed", false))
    .order("desc")
    .take(OPEN_STATUSES_READ);
  const earlier = recent.find(({ step, action }) => step === NO_UNDO_STEP && action.type === type && action.to === into._id);
  if (earlier) {
    const failures = [...earlier.failures, failure].slice(0, FAILURES_MAX);
    await db.patch(earlier._id, { total: earlier.total + 1, failed: earlier.failed + 1, failures });
    return;
  }
  const at = Date.now();
  const selectionId = await db.insert("bulkSelections", { userId, at, kind: "design", ids: [design._id], until: at });
  await db.insert("bulkJobs", {
    userId,
    step: NO_UNDO_STEP,
    at,
    selectionId,
    kind: "design",
    action: { type, to: into._id },
    isLimited: false,
    state: "done",
    phase: "do",
    run: 0,
    cursor: null,
    parts: 0,
    part: 0,
    total: 1,
    done: 0,
    failed: 1,
    failures: [failure],
    isDismissed: false,
  });
}
