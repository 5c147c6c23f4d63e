import { defineTable } from "convex/server";
import { v } from "convex/values";

const fraction = v.number();
/** In fractions (0 to 1) of the image without its rotation. */
export const point = v.object({ x: fraction, y: fraction });
export const part = v.object({ x: fraction, y: fraction, width: fraction, height: fraction });

export const presenceTables = {
  presence: defineTable({
    userId: v.string(),
    /** Created by the client. Everyone with this key can remove the row, so no query returns it. */
    tab: v.string(),
    designId: v.id("designs"),
    imageId: v.optional(v.id("designImages")),
    isAway: v.boolean(),
    /** Whether the tab shows other people's pointers or viewports. Other tabs send theirs only then. */
    isWatching: v.boolean(),
  })
    .index("by_tab", ["tab"])
    .index("by_user", ["userId"])
    .index("by_design", ["designId"])
    .index("by_image", ["imageId"]),

  /** One per row of `presence`, which changes more rarely. Queries of pages do not read it. */
  presenceBeats: defineTable({
    presenceId: v.id("presence"),
    designId: v.id("designs"),
    seenAt: v.number(),
  })
    .index("by_presence", ["presenceId"])
    .index("by_design", ["designId", "seenAt"])
    .index("by_age", ["seenAt"]),

  presencePointers: defineTable({
    presenceId: v.id("presence"),
    imageId: v.id("designImages"),
    pointer: v.optional(point),
    viewport: part,
  })
    .index("by_presence", ["presenceId"])
    .index("by_image", ["imageId"]),

  presenceSweeps: defineTable({ designId: v.id("designs") }).index("by_design", ["designId"]),
};
