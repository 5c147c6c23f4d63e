import type { OptimisticLocalStore } from "convex/browser";
import { href } from "react-router";
import { bulkIntent } from "~/features/selection/whole-selection";
import { markOptimistic } from "~/lib/data/pending";
import { type FormValues, intent } from "~/lib/forms/intents";
import { api } from "#convex/_generated/api";
import { isReviewFilter, type ReviewFilter, STATUS_NAMES } from "#convex/model/review/statuses";

const statusIn = (value: FormValues[string] | undefined): ReviewFilter => (isReviewFilter(value) ? value : "none");

const bulk = (kind: "image" | "design") =>
  bulkIntent(
    intent({
      mutation: kind === "image" ? api.many.reviewImages : api.many.reviewDesigns,
      fields: ["status"],
      optional: ["note"],
      lists: ["ids"],
      args: ({ ids, status, note }) => ({ ids, status: statusIn(status), ...(note !== undefined && { note }) }),
      optimistic: (store, { ids, status }) => showStatus(store, ids, status),
      message: { text: ({ status }) => `set to “${STATUS_NAMES[statusIn(status)]}”`, each: kind },
      undo: true,
    }),
    { kind, action: ({ status, note }) => ({ type: "review", status: statusIn(status), ...(typeof note === "string" && { note }) }) },
  );

export const reviewIntents = {
  reviewItem: intent({
    mutation: api.reviews.setStatus,
    fields: ["id", "status", "note"],
    optional: ["versionId"],
    args: ({ id, status, note, versionId }) => ({ id, status: statusIn(status), note, ...(versionId !== undefined && { versionId }) }),
    optimistic: (store, { id, status }) => showStatus(store, [id], status),
    message: { text: ({ status }) => `Review status set to “${STATUS_NAMES[statusIn(status)]}”` },
    undo: true,
  }),
  reviewImages: bulk("image"),
  reviewDesigns: bulk("design"),
};

export const requestIntents = {
  requestReview: intent({
    mutation: api.reviews.request,
    fields: ["id", "projectId", "dueOn", "note"],
    lists: ["userIds"],
    args: ({ id, userIds, dueOn, note }) => ({ id, userIds, dueOn, note }),
    then: (_, __, { projectId }) => href("/projects/:id/review", { id: encodeURIComponent(projectId) }),
    message: { text: "Review requested" },
  }),
  cancelReviewRequest: intent({
    mutation: api.reviews.cancelRequest,
    fields: ["id", "requestId"],
    args: ({ id, requestId }) => ({ id, requestId }),
    message: { text: "Request cancelled" },
  }),
};

declare module "~/lib/forms/intents" {
  interface IntentTables {
    reviews: typeof reviewIntents & typeof requestIntents;
  }
}

type Reviewed = { _id: string; review?: { status: Exclude<ReviewFilter, "none">; at: number; version?: number } };

function showStatus(store: OptimisticLocalStore, ids: string[], status: ReviewFilter): void {
  const withStatus = <Item extends Reviewed>(item: Item): Item => {
    if (!ids.includes(item._id)) return item;
    return Object.assign({}, item, { review: status === "none" ? undefined : { ...item.review, status, at: Date.now() } });
  };
  const changed = <Item extends Reviewed>(rows: Item[], only: ReviewFilter | undefined): Item[] => {
    if (!rows.some(({ _id }) => ids.includes(_id))) return rows;
    const next = rows.map(withStatus);
    return markOptimistic(rows, only === undefined ? next : next.filter(({ review }) => (review?.status ?? "none") === only));
  };
  for (const { args, value } of store.getAllQueries(api.designs.getDesignsByProjectId))
    if (value) store.setQuery(api.designs.getDesignsByProjectId, args, changed(value, args.review));
  for (const { args, value } of store.getAllQueries(api.designs.listDesigns))
    if (value) store.setQuery(api.designs.listDesigns, args, { ...value, page: changed(value.page, args.review) });
  for (const { args, value } of store.getAllQueries(api.designImages.getDesignImagesByDesignId))
    if (value) store.setQuery(api.designImages.getDesignImagesByDesignId, args, changed(value, args.review));
  for (const { args, value } of store.getAllQueries(api.designImages.listDesignImages))
    if (value) store.setQuery(api.designImages.listDesignImages, args, { ...value, page: changed(value.page, args.review) });
  for (const id of ids) {
    const design = store.getQuery(api.designs.getDesignById, { id });
    if (design) store.setQuery(api.designs.getDesignById, { id }, withStatus(design));
    const image = store.getQuery(api.designImages.getDesignImageInPlace, { id });
    if (image) store.setQuery(api.designImages.getDesignImageInPlace, { id }, { ...image, image: withStatus(image.image) });
  }
}
