import { defineTable } from "convex/server";
import { type Infer, v } from "convex/values";

export const reviewStatus = v.union(v.literal("inReview"), v.literal("changesRequested"), v.literal("approved"));
export const reviewFilter = v.union(v.literal("none"), reviewStatus);

/** The review of a design or an image. Absent if the status is none, as for all items of earlier builds. */
export const review = v.object({
  status: reviewStatus,
  by: v.string(),
  at: v.number(),
  /** The version of the image that was current. `versionId` is absent for an image with one version. */
  version: v.optional(v.number()),
  versionId: v.optional(v.id("imageVersions")),
  note: v.optional(v.string()),
});
export type Review = Infer<typeof review>;

export const reviewCounts = v.object({ inReview: v.number(), changesRequested: v.number(), approved: v.number() });
export type ReviewCounts = Infer<typeof reviewCounts>;

export const projectReviews = v.object({ designs: reviewCounts, images: reviewCounts });
export type ProjectReviews = Infer<typeof projectReviews>;

export const reviewTables = {
  /** Open requests, one row per reviewer. An answered or cancelled request has no row. */
  reviewRequests: defineTable({
    projectId: v.id("projects"),
    designId: v.id("designs"),
    itemId: v.union(v.id("designs"), v.id("designImages")),
    reviewerId: v.string(),
    requestedBy: v.string(),
    at: v.number(),
    /** A calendar date without time zone, such as "2026-11-30". */
    dueOn: v.optional(v.string()),
    note: v.optional(v.string()),
  })
    .index("by_project", ["projectId", "at"])
    .index("by_design", ["designId"])
    .index("by_item", ["itemId", "reviewerId"])
    .index("by_reviewer", ["reviewerId", "projectId"])
    .index("by_requester", ["requestedBy"]),
};
