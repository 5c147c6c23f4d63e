import type { Doc } from "../../_generated/dataModel";
import { queueDeliveries } from "../webhooks/webhooks";
import { recordActivity } from "../activities/recordActivity";
import { type CallerCtx, designFor, type DesignPath, imageFor, type UserMutationCtx } from "../access";
import type { Right } from "../rights";
import type { ClosedRequest } from "../undo/undoTables";
import { changedImageReviews, addReviewCounts, noReviews, sumOf } from "./reviewCounts";
import { answerRequests, cancelRequests, closeRequests, reopenRequests } from "./requests";
import type { Review, ReviewCounts } from "./reviewTables";
import { isAnswer, type ReviewFilter } from "./statuses";

type Ctx = UserMutationCtx;
type ReviewPath = DesignPath & { image?: Doc<"designImages"> };

export const reviewedFor = (ctx: CallerCtx, id: string, right: Right): Promise<ReviewPath> =>
  ctx.db.normalizeId("designImages", id) ? imageFor(ctx, id, right) : designFor(ctx, id, right);

const rowOf = ({ design, image }: ReviewPath): Doc<"designs"> | Doc<"designImages"> => image ?? design;

export async function setStatus(ctx: Ctx, paths: ReviewPath[], status: ReviewFilter, note?: string): Promise<void> {
  const changed = paths.filter((path) => {
    const { review } = rowOf(path);
    if (!review || status === "none") return (review?.status ?? "none") !== status;
    const isSame = note === undefined || (review.by === ctx.user.id && (review.note ?? "") === note);
    return review.status !== status || !isSame || review.versionId !== path.image?.versionId;
  });
  const requested = changed.filter((path) => rowOf(path).review !== undefined);
  await writeReviews(ctx, changed, (path) => newReview(ctx, path, status, note ?? ""));
  if (status !== "none" && isAnswer(status)) await answerRequests(ctx, requested.map(withId), status);
}

/** Sets approvals of an image and its design to "in review", because an approval is for one version of the image. */
export async function resetApprovals(ctx: Ctx, { image, ...path }: DesignPath & { image: Doc<"designImages"> }): Promise<void> {
  const isApproved = (each: ReviewPath) => rowOf(each).review?.status === "approved";
  await writeReviews(ctx, [{ ...path, image }, path].filter(isApproved), (each) => newReview(ctx, each, "inReview", ""));
}

/** Restores a review, and the requests that it closed, for undo and redo. An approval of an earlier version becomes "in review". */
export async function restoreReview(ctx: Ctx, path: ReviewPath, before: Review | undefined, closed: ClosedRequest[] = []): Promise<void> {
  const isOutdated = before?.status === "approved" && before.versionId !== path.image?.versionId;
  await writeReviews(ctx, [path], () => (isOutdated ? newReview(ctx, path, "inReview", "") : before));
  if (before && isAnswer(before.status)) await closeRequests(ctx, rowOf(path)._id);
  await reopenRequests(ctx, withId(path), closed);
}

async function newReview(ctx: Ctx, { image }: ReviewPath, status: ReviewFilter, note: string): Promise<Review | undefined> {
  if (status === "none") return undefined;
  const review = { status, by: ctx.user.id, at: Date.now(), ...(note !== "" && { note }) };
  if (!image) return review;
  if (image.versionId === undefined) return { ...review, version: 1 };
  const version = await ctx.db.get(image.versionId);
  return { ...review, version: version?.number ?? 1, versionId: image.versionId };
}

async function writeReviews(ctx: Ctx, paths: ReviewPath[], next: (path: ReviewPath) => Review | undefined | Promise<Review | undefined>) {
  const cleared: ReviewPath[] = [];
  for (const inProject of Map.groupBy(paths, ({ project }) => project._id).values()) {
    const changes = { designs: noReviews(), images: noReviews() };
    for (const inDesign of Map.groupBy(inProject, ({ design, image }) => (image ? design._id : "")).values()) {
      const [first] = inDesign;
      const ofImages = noReviews();
      const statuses = [];
      for (const path of inDesign) {
        const before = rowOf(path).review;
        const after = await next(path);
        await ctx.db.patch(rowOf(path)._id, { review: after });
        move(path.image ? ofImages : changes.designs, before, after);
        statuses.push([before?.status ?? "none", after?.status ?? "none"] as const);
        if (before && !after) cleared.push(path);
      }
      if (first?.image) {
        const design = await ctx.db.get(first.design._id);
        if (design) await ctx.db.patch(design._id, changedImageReviews(design, ofImages));
        changes.images = sumOf(changes.images, ofImages);
      }
      await recordStatuses(ctx, inDesign, statuses);
    }
    const project = inProject[0] && (await ctx.db.get(inProject[0].project._id));
    if (project) await ctx.db.patch(project._id, { reviews: addReviewCounts(project.reviews, changes) });
  }
  await cancelRequests(ctx, cleared.map(withId));
}

const withId = (path: ReviewPath) => ({ ...path, itemId: rowOf(path)._id });

function move(counts: ReviewCounts, before: Review | undefined, after: Review | undefined): void {
  if (before) counts[before.status] -= 1;
  if (after) counts[after.status] += 1;
}

async function recordStatuses(ctx: Ctx, paths: ReviewPath[], statuses: (readonly [ReviewFilter, ReviewFilter])[]): Promise<void> {
  for (const to of new Set(statuses.map(([, after]) => after))) {
    const group = paths.filter((_, index) => statuses[index]?.[1] === to);
    const [last] = group.slice(-1);
    const from = new Set(statuses.flatMap(([before, after]) => (after === to ? before : [])));
    const [only] = from;
    const texts = { to, ...(from.size === 1 && only !== undefined && { from: only }) };
    if (!last) continue;
    await recordActivity(ctx, { kind: "reviewed", ...last, ...texts, count: group.length });
    const items = group.map(({ design, image }) => ({ designId: design._id, ...(image && { imageId: image._id }) }));
    await queueDeliveries(ctx, last.project, { event: "status.changed", items, newStatus: to });
  }
}
