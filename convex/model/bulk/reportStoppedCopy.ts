import type { Doc } from "../../_generated/dataModel";
import type { MutationCtx } from "../../_generated/server";

/** A status without an undo step: part of the copy stays. */
export const WITHOUT_STEP = "";
const FAILURES_MAX = 100;
/** Open statuses among which an earlier one for the same target is looked up. */
const RECENT = 3;

type Stopped = {
  /** Who started the copy. Rows of earlier builds do not store it. */
  userId: string | undefined;
  into: Doc<"projects">;
  design: Doc<"designs">;
  isMove: boolean;
  copied: number;
  total: number;
};

/** Tells who started a copy that it stopped for lack of room, in the status of bulk actions. */
export async function reportStoppedCopy({ db }: MutationCtx, { userId, into, design, isMove, copied, total }: Stopped): Promise<void> {
  if (userId === undefined) return;
  const owner = userId === into.ownerId ? "You have" : "The project's owner has";
  const kept = isMove ? " The original was not moved." : "";
  const failure = { id: design._id, reason: `${owner} no room for more. ${copied} of ${total} images were copied.${kept}` };
  const type = isMove ? ("move" as const) : ("copy" as const);
  const recent = await db
    .query("bulkJobs")
    .withIndex("by_start", (q) => q.eq("userId", userId).eq("isDismissed", false))
    .order("desc")
    .take(RECENT);
  const earlier = recent.find(({ step, action }) => step === WITHOUT_STEP && action.type === type && action.to === into._id);
  if (earlier) {
    const failures = [...earlier.failures, failure].slice(0, FAILURES_MAX);
    await db.patch(earlier._id, { total: earlier.total + 1, failed: earlier.failed + 1, failures });
    return;
  }
  const at = Date.now();
  const selectionId = await db.insert("bulkSelections", { userId, at, kind: "design", ids: [design._id], until: at });
  await db.insert("bulkJobs", {
    userId,
    step: WITHOUT_STEP,
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
