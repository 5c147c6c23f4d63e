import { type Infer, v } from "convex/values";

/** New kinds may be added but never changed: older entries remain stored. */
const shownKinds = [
  v.literal("created"),
  v.literal("renamed"),
  v.literal("described"),
  v.literal("captioned"),
  v.literal("uploaded"),
  v.literal("versioned"),
  v.literal("duplicated"),
  v.literal("moved"),
  v.literal("reordered"),
  v.literal("covered"),
  v.literal("tagged"),
  v.literal("trashed"),
  v.literal("restored"),
  v.literal("purged"),
] as const;

export const shownActivityKind = v.union(...shownKinds);

export const discussionKind = v.union(v.literal("commented"), v.literal("resolved"), v.literal("reopened"));
export type DiscussionKind = Infer<typeof discussionKind>;

const activityKind = v.union(...shownKinds, v.literal("reviewed"), v.literal("transferred"), ...discussionKind.members);
export type ActivityKind = Infer<typeof activityKind>;

/** Ids and texts of permanently deleted items are empty (`redactItem.ts`). */
export const activity = v.object({
  projectId: v.id("projects"),
  ownerId: v.string(),
  actorId: v.string(),
  at: v.number(),
  kind: activityKind,
  thing: v.object({ kind: v.union(v.literal("project"), v.literal("design"), v.literal("image")), id: v.string(), name: v.string() }),
  design: v.optional(v.object({ id: v.string(), name: v.string() })),
  from: v.optional(v.string()),
  to: v.optional(v.string()),
  /** Id of the item named in `from` or `to`, unless it is `thing`. For a transfer: the former owner and the new owner. */
  fromId: v.optional(v.string()),
  toId: v.optional(v.string()),
  count: v.optional(v.number()),
});
