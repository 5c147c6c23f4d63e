import { defineTable } from "convex/server";
import { type Infer, v } from "convex/values";
import { tokenLimits } from "../limits/limits";
import { reviewFilter } from "../review/reviewTables";

export const bulkKind = v.union(v.literal("image"), v.literal("design"));
export type BulkKind = Infer<typeof bulkKind>;

const review = v.optional(reviewFilter);

export const bulkContainer = v.union(
  v.object({ kind: v.literal("design"), id: v.string(), review }),
  v.object({ kind: v.literal("project"), id: v.string(), review }),
);
export type BulkContainer = Infer<typeof bulkContainer>;

/** Without a container, the items of `ids`. With one, all its items up to the cut-off time except `ids`. */
export const bulkSelection = { kind: bulkKind, place: v.optional(bulkContainer), ids: v.array(v.string()), until: v.number() };
const selectionObject = v.object(bulkSelection);
export type BulkSelection = Infer<typeof selectionObject>;

/** `to` is a design for images and a project for designs; `tag` has tags separated by commas. */
export const bulkAction = v.union(
  v.object({ type: v.literal("trash") }),
  v.object({ type: v.literal("move"), to: v.string() }),
  v.object({ type: v.literal("copy"), to: v.string() }),
  v.object({ type: v.literal("tag"), tag: v.string() }),
  v.object({ type: v.literal("untag"), tag: v.string() }),
  v.object({ type: v.literal("favourite"), favourite: v.boolean() }),
  v.object({ type: v.literal("review"), status: reviewFilter, note: v.optional(v.string()) }),
);
export type BulkAction = Infer<typeof bulkAction>;

export const bulkState = v.union(v.literal("running"), v.literal("done"), v.literal("cancelled"));
export const bulkPhase = v.union(v.literal("do"), v.literal("undo"), v.literal("redo"));

export const bulkTables = {
  bulkSelections: defineTable({ userId: v.string(), at: v.number(), ...bulkSelection })
    .index("by_user", ["userId"])
    .index("by_age", ["at"]),

  bulkPages: defineTable({
    userId: v.string(),
    at: v.number(),
    selectionId: v.id("bulkSelections"),
    number: v.number(),
    ids: v.array(v.string()),
  })
    .index("by_selection", ["selectionId", "number"])
    .index("by_user", ["userId"])
    .index("by_age", ["at"]),

  bulkJobs: defineTable({
    userId: v.string(),
    /** The undo step's id. Each part of the job is a step of its own: `partOf`. */
    step: v.string(),
    at: v.number(),
    selectionId: v.id("bulkSelections"),
    kind: bulkKind,
    action: bulkAction,
    ...tokenLimits,
    state: bulkState,
    phase: bulkPhase,
    /** Number of the running chain of batches: cancelling and undoing end a chain. */
    run: v.number(),
    call: v.optional(v.id("_scheduled_functions")),
    /** While the selection is listed: its next position. Then: the number of the next page. */
    cursor: v.union(v.string(), v.null()),
    pages: v.optional(v.number()),
    isListed: v.optional(v.boolean()),
    batch: v.optional(v.number()),
    waiting: v.optional(v.array(v.array(v.string()))),
    parts: v.number(),
    applied: v.optional(v.number()),
    undone: v.optional(v.number()),
    part: v.number(),
    total: v.number(),
    done: v.number(),
    failed: v.number(),
    failures: v.array(v.object({ id: v.string(), reason: v.string() })),
    isDismissed: v.boolean(),
  })
    .index("by_user", ["userId", "step"])
    .index("by_start", ["userId", "isDismissed", "at"])
    .index("by_age", ["at"])
    .index("by_selection", ["selectionId"]),
};
