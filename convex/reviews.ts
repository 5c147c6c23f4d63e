import { v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import {
  type CallerCtx,
  designFor,
  hasRight,
  ifVisible,
  imageAloneFor,
  projectFor,
  undoableMutation,
  userMutation,
  userQuery,
} from "./model/access";
import { check } from "./model/check";
import { conflict, invalid, limit } from "./model/errors";
import { favouritesIn } from "./model/items/favourites";
import { designsWith, imagesWith } from "./model/lists/order";
import { nameOf, userOf } from "./model/members";
import { notifyPerson } from "./model/notifications/notify";
import { REQUESTS_MAX, requestsIn, requestsOf } from "./model/review/requests";
import { reviewFilter, reviewStatus } from "./model/review/reviewTables";
import { reviewedFor, setStatus as setAll } from "./model/review/setReviews";
import { REVIEW_STATUSES, rightToSet } from "./model/review/statuses";
import { allows } from "./model/rights";
import { requestReview, reviewItem } from "./model/rules";
import { designImageShape, designShape, toDesign, toDesignImage } from "./model/shapes";

/** Statuses of designs and images (docs/decisions/184-review.md). */

const personShape = v.object({ name: v.string(), isMe: v.boolean() });
/** Null for a deleted account. */
const person = v.union(personShape, v.null());

const requestShape = v.object({
  _id: v.id("reviewRequests"),
  reviewer: person,
  requester: person,
  at: v.number(),
  dueOn: v.optional(v.string()),
  note: v.optional(v.string()),
});

/** Sets status and note of a design or an image. Throws "conflict" if `versionId` ("" for the first) is no longer the shown version. */
export const setStatus = undoableMutation({
  args: { id: v.string(), status: reviewFilter, note: v.string(), versionId: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, { id, status, versionId, ...args }) => {
    const path = await reviewedFor(ctx, id, rightToSet(status));
    const { note } = check(reviewItem, args);
    if (path.image && versionId !== undefined && versionId !== (path.image.versionId ?? ""))
      throw conflict("A new version was added since you opened the image. View it, then set the status again.");
    await setAll(ctx, [path], status, note);
    return null;
  },
});

export const getReview = userQuery({
  args: { id: v.string() },
  returns: v.union(
    v.object({
      status: reviewStatus,
      by: person,
      at: v.number(),
      version: v.optional(v.number()),
      isCurrent: v.boolean(),
      note: v.optional(v.string()),
      requests: v.array(requestShape),
    }),
    v.null(),
  ),
  handler: async (ctx, { id }) => {
    const isImage = ctx.db.normalizeId("designImages", id) !== null;
    const item = isImage ? await imageAloneFor(ctx, id, "view") : (await designFor(ctx, id, "view")).design;
    const { review, _id } = item;
    if (!review) return null;
    const { status, by, at, version, versionId, note } = review;
    const people = peopleOf(ctx);
    const requests = await Promise.all((await requestsOf(ctx, _id)).map((row) => toRequest(people, row)));
    const optional = { ...(version !== undefined && { version }), ...(note !== undefined && { note }) };
    return {
      status,
      by: await people(by),
      at,
      isCurrent: versionId === ("versionId" in item ? item.versionId : undefined),
      ...optional,
      requests,
    };
  },
});

/** Requests reviews from people with that right, notifies them and sets "in review". A repeated request replaces note and date. */
export const request = userMutation({
  args: { id: v.string(), userIds: v.array(v.string()), dueOn: v.string(), note: v.string() },
  returns: v.null(),
  handler: async (ctx, { id, ...args }) => {
    const path = await reviewedFor(ctx, id, "edit");
    const { userIds, dueOn, note } = check(requestReview, args);
    const { project, design, image } = path;
    const item = image ?? design;
    const open = await requestsIn(ctx, design._id, REQUESTS_MAX);
    const texts = { dueOn: dueOn || undefined, note: note || undefined };
    let count = open.length;
    for (const reviewerId of new Set(userIds)) {
      const reviewer = reviewerId === ctx.user.id ? null : await userOf(ctx, reviewerId);
      if (!reviewer || !(await hasRight({ ...ctx, user: reviewer }, project, "review")))
        throw invalid({ userIds: ["Someone you chose can no longer review. Choose other reviewers."] });
      const earlier = open.find((each) => each.itemId === item._id && each.reviewerId === reviewerId);
      if (earlier) {
        await ctx.db.patch(earlier._id, texts);
        continue;
      }
      count += 1;
      if (count > REQUESTS_MAX) throw limit(`A design and its images can have at most ${REQUESTS_MAX} open requests. Cancel some first.`);
      const at = Date.now();
      const place = { projectId: project._id, designId: design._id, itemId: item._id };
      const requestId = await ctx.db.insert("reviewRequests", { ...place, reviewerId, requestedBy: ctx.user.id, at, ...texts });
      const notice = { kind: "reviewRequested" as const, actorId: ctx.user.id, itemId: item._id, requestId };
      await notifyPerson(ctx, reviewerId, project._id, notice);
    }
    await setAll(ctx, [path], "inReview");
    return null;
  },
});

export const cancelRequest = userMutation({
  args: { id: v.string(), requestId: v.string() },
  returns: v.null(),
  handler: async (ctx, { id, requestId }) => {
    const { design, image } = await reviewedFor(ctx, id, "edit");
    const rowId = ctx.db.normalizeId("reviewRequests", requestId);
    const row = rowId && (await ctx.db.get(rowId));
    if (row?.itemId === (image ?? design)._id) await ctx.db.delete(row._id);
    return null;
  },
});

const MEMBERS = 1000;
const REVIEWERS = 200;

/** Returns an item and its possible reviewers without the caller: the owner, and the first members who may review. */
export const getReviewers = userQuery({
  args: { id: v.string() },
  returns: v.object({
    kind: v.union(v.literal("design"), v.literal("image")),
    name: v.string(),
    people: v.array(v.object({ userId: v.string(), name: v.string() })),
  }),
  handler: async (ctx, { id }) => {
    const { project, design, image } = await reviewedFor(ctx, id, "edit");
    const { _id, ownerId } = project;
    const members = await ctx.db
      .query("projectMembers")
      .withIndex("by_addition", (q) => q.eq("projectId", _id))
      .take(MEMBERS);
    const reviewers = members.filter(({ role }) => allows(role, "review")).map(({ userId }) => userId);
    const ids = [ownerId, ...reviewers].slice(0, REVIEWERS);
    const others = await Promise.all(
      ids.filter((each) => each !== ctx.user.id).map(async (userId) => ({ userId, user: await userOf(ctx, userId) })),
    );
    const people = others.flatMap(({ userId, user }) => (user ? [{ userId, name: nameOf(user) }] : []));
    return { kind: image ? ("image" as const) : ("design" as const), name: (image ?? design).name, people };
  },
});

/** Maximum number of items per status in the overview. Its links lead to complete lists. */
const SHOWN = { designs: 12, images: 24, requests: 50 };
const DESIGNS_READ_MAX = 100;

const itemShape = v.object({ designId: v.id("designs"), imageId: v.optional(v.id("designImages")), name: v.string() });

/** Returns the newest items of each status, and the open requests, first requests to the caller. Reads a bounded part of the project. */
export const getOverview = userQuery({
  args: { projectId: v.string() },
  returns: v.object({
    designs: v.array(designShape),
    images: v.array(designImageShape),
    requests: v.array(v.object({ ...requestShape.fields, item: itemShape })),
  }),
  handler: async (ctx, { projectId }) => {
    const project = await projectFor(ctx, projectId, "view");
    const reviewed = await ctx.db
      .query("designs")
      .withIndex("by_reviewed_images", (q) => q.eq("projectId", project._id).eq("removedAt", undefined).gt("reviewedImages", 0))
      .order("desc")
      .take(DESIGNS_READ_MAX);
    const favourites = await favouritesIn(ctx, project._id);
    const designs = [];
    const images = [];
    for (const status of REVIEW_STATUSES) {
      designs.push(...(await designsWith(ctx, project._id, status)("all", "asc", SHOWN.designs)));
      let room = SHOWN.images;
      for (const { _id, imageReviews } of reviewed) {
        if (room === 0) break;
        if (!imageReviews?.[status]) continue;
        const rows = await imagesWith(ctx, _id, status)("all", "asc", room);
        images.push(...rows);
        room -= rows.length;
      }
    }
    const shown = designs.map((design) => toDesign(design, favourites.has(design._id)));
    return { designs: shown, images: images.map(toDesignImage), requests: await openRequests(ctx, project._id) };
  },
});

async function openRequests(ctx: CallerCtx, projectId: Id<"projects">) {
  const rows = await ctx.db
    .query("reviewRequests")
    .withIndex("by_project", (q) => q.eq("projectId", projectId))
    .order("desc")
    .take(SHOWN.requests);
  const people = peopleOf(ctx);
  const requests = await Promise.all(
    rows.map(async (row) => {
      const found = await ifVisible(reviewedFor(ctx, row.itemId, "view"));
      if (!found) return [];
      const { design, image } = found;
      const item = { designId: design._id, ...(image && { imageId: image._id }), name: (image ?? design).name };
      return [{ ...(await toRequest(people, row)), item }];
    }),
  );
  return requests.flat().toSorted((a, b) => Number(b.reviewer?.isMe ?? false) - Number(a.reviewer?.isMe ?? false));
}

type People = (userId: string) => Promise<{ name: string; isMe: boolean } | null>;

function peopleOf(ctx: CallerCtx): People {
  const known = new Map<string, ReturnType<People>>();
  return (userId) => {
    const found = known.get(userId) ?? userOf(ctx, userId).then((user) => user && { name: nameOf(user), isMe: userId === ctx.user.id });
    known.set(userId, found);
    return found;
  };
}

async function toRequest(people: People, { _id, reviewerId, requestedBy, at, dueOn, note }: Doc<"reviewRequests">) {
  const optional = { ...(dueOn !== undefined && { dueOn }), ...(note !== undefined && { note }) };
  return { _id, reviewer: await people(reviewerId), requester: await people(requestedBy), at, ...optional };
}
