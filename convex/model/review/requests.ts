import type { Doc, Id } from "../../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../../_generated/server";
import { type DesignPath, hasRight, type UserMutationCtx } from "../access";
import { userOf } from "../members";
import type { ClosedRequest } from "../undo/undoTables";
import { notifyPerson } from "../notifications/notify";
import type { ReviewStatus } from "./statuses";

type ItemId = Doc<"reviewRequests">["itemId"];
type Requested = DesignPath & { itemId: ItemId };

/** Limits the rows that one transaction changes when an item is moved or deleted. */
export const REQUESTS_MAX = 200;

export const requestsOf = ({ db }: Pick<QueryCtx, "db">, itemId: ItemId): Promise<Doc<"reviewRequests">[]> =>
  db
    .query("reviewRequests")
    .withIndex("by_item", (q) => q.eq("itemId", itemId))
    .take(REQUESTS_MAX);

export const requestsIn = ({ db }: Pick<QueryCtx, "db">, designId: Id<"designs">, limit: number): Promise<Doc<"reviewRequests">[]> =>
  db
    .query("reviewRequests")
    .withIndex("by_design", (q) => q.eq("designId", designId))
    .take(limit);

/** Closes requests to the caller for these items, and notifies their senders. Requests to other reviewers stay open. */
export async function answerRequests(ctx: UserMutationCtx, items: Requested[], status: ReviewStatus): Promise<void> {
  const given = new Map<string, Requested[]>();
  for (const item of items) {
    const requests = await requestsOf(ctx, item.itemId);
    await closeRequests(ctx, item.itemId);
    for (const requester of new Set(requests.map(({ requestedBy }) => requestedBy)))
      if (requester !== ctx.user.id) given.set(requester, [...(given.get(requester) ?? []), item]);
  }
  for (const [userId, answered] of given)
    for (const group of Map.groupBy(answered, ({ project }) => project._id).values()) {
      const [last] = group.slice(-1);
      if (!last) continue;
      const notice = { kind: "reviewGiven" as const, itemId: last.itemId, actorId: ctx.user.id, status };
      const count = group.length > 1 ? { count: group.length } : {};
      await notifyPerson(ctx, userId, last.project._id, { ...notice, ...count });
    }
}

export async function closeRequests(ctx: UserMutationCtx, itemId: ItemId): Promise<void> {
  const own = await ctx.db
    .query("reviewRequests")
    .withIndex("by_item", (q) => q.eq("itemId", itemId).eq("reviewerId", ctx.user.id))
    .take(REQUESTS_MAX);
  for (const { _id } of own) await ctx.db.delete(_id);
}

/** Opens requests again that an undone change closed, unless the reviewer has a new one or can no longer review. */
export async function reopenRequests(ctx: UserMutationCtx, { project, design, itemId }: Requested, closed: ClosedRequest[]): Promise<void> {
  const open = closed.length > 0 ? await requestsIn(ctx, design._id, REQUESTS_MAX) : [];
  for (const request of closed.slice(0, REQUESTS_MAX - open.length)) {
    const reviewer = await userOf(ctx, request.reviewerId);
    const isOpen = open.some((each) => each.itemId === itemId && each.reviewerId === request.reviewerId);
    if (isOpen || !reviewer || !(await hasRight({ ...ctx, user: reviewer }, project, "review"))) continue;
    await ctx.db.insert("reviewRequests", { ...request, projectId: project._id, designId: design._id, itemId });
  }
}

export async function cancelRequests(ctx: MutationCtx, items: { itemId: ItemId }[]): Promise<void> {
  for (const { itemId } of items) for (const { _id } of await requestsOf(ctx, itemId)) await ctx.db.delete(_id);
}

const OF_PERSON = 500;

export async function endRequestsTo(
  ctx: MutationCtx,
  { projectId, userId }: Pick<Doc<"projectMembers">, "projectId" | "userId">,
): Promise<void> {
  const requests = await ctx.db
    .query("reviewRequests")
    .withIndex("by_reviewer", (q) => q.eq("reviewerId", userId).eq("projectId", projectId))
    .take(OF_PERSON);
  for (const { _id } of requests) await ctx.db.delete(_id);
}

export async function deleteRequests(ctx: MutationCtx, { _id, review }: Doc<"designs"> | Doc<"designImages">): Promise<number> {
  if (!review) return 0;
  const requests = await requestsOf(ctx, _id);
  for (const request of requests) await ctx.db.delete(request._id);
  return requests.length;
}

export async function moveRequestsOfDesigns(ctx: MutationCtx, designs: Doc<"designs">[], projectId: Id<"projects">): Promise<void> {
  for (const { _id, review, reviewedImages } of designs) {
    if (!review && reviewedImages === undefined) continue;
    for (const request of await requestsIn(ctx, _id, REQUESTS_MAX)) await ctx.db.patch(request._id, { projectId });
  }
}

export async function moveRequestsOfImages(
  ctx: MutationCtx,
  images: Doc<"designImages">[],
  { _id: designId, projectId }: Doc<"designs">,
): Promise<void> {
  for (const { _id, review } of images) {
    if (!review) continue;
    for (const request of await requestsOf(ctx, _id)) await ctx.db.patch(request._id, { designId, projectId });
  }
}
