import { defineTable } from "convex/server";
import { type Infer, v } from "convex/values";
import { review } from "../review/reviewTables";
import { rotation } from "../images/versionTables";

/** The fields that undo restores. Counts, covers, search words and tag rows follow from them. */
const state = v.object({
  name: v.optional(v.string()),
  description: v.optional(v.string()),
  caption: v.optional(v.string()),
  favouriteAt: v.optional(v.number()),
  coverImageId: v.optional(v.id("designImages")),
  projectId: v.optional(v.id("projects")),
  designId: v.optional(v.id("designs")),
  orderKey: v.optional(v.string()),
  tags: v.optional(v.array(v.string())),
  removedAt: v.optional(v.number()),
  rotation: v.optional(rotation),
  review: v.optional(review),
});
export type State = Infer<typeof state>;
export type Field = keyof State;
export const FIELDS: ReadonlySet<string> = new Set(Object.keys(state.fields));

const closedRequest = v.object({
  reviewerId: v.string(),
  requestedBy: v.string(),
  at: v.number(),
  dueOn: v.optional(v.string()),
  note: v.optional(v.string()),
});
export type ClosedRequest = Infer<typeof closedRequest>;

const change = v.object({
  kind: v.union(v.literal("project"), v.literal("design"), v.literal("image")),
  id: v.string(),
  before: state,
  after: state,
  closedRequests: v.optional(v.array(closedRequest)),
});
export type Change = Infer<typeof change>;

export const undoStep = v.object({ name: v.string(), jobId: v.optional(v.id("bulkJobs")) });
export type UndoStep = Infer<typeof undoStep>;

export const undoTables = {
  undoSteps: defineTable({
    userId: v.string(),
    step: v.string(),
    at: v.number(),
    changes: v.array(change),
    /** Set for parts of bulk jobs: whether the changes were undone, so that only redo reverts them. */
    isUndone: v.optional(v.boolean()),
  })
    .index("by_user", ["userId", "step"])
    .index("by_age", ["at"]),
};
