import { type Infer, v } from "convex/values";

/** What an entry of a project's history tells; the app puts it into words. New kinds are added, never changed: older entries stay. */
export const activityKind = v.union(
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
);
export type ActivityKind = Infer<typeof activityKind>;

export const activity = v.object({
  projectId: v.id("projects"),
  ownerId: v.string(),
  /** `users.id` of who did it. */
  actorId: v.string(),
  at: v.number(),
  kind: activityKind,
  /** What it was done to, as it was called then; of several, the last. */
  thing: v.object({ kind: v.union(v.literal("project"), v.literal("design"), v.literal("image")), id: v.string(), name: v.string() }),
  /** The design that an image is in. */
  design: v.optional(v.object({ id: v.string(), name: v.string() })),
  /** What it was before and what it became: names, or where it was and where it went. */
  from: v.optional(v.string()),
  to: v.optional(v.string()),
  /** How many things of this kind; one where it is missing. */
  count: v.optional(v.number()),
});
