import { defineTable } from "convex/server";
import { v } from "convex/values";

/** For the reverse lookup; items store their labels in their own row. `tagging.ts` keeps both consistent. */
export const tagTables = {
  tags: defineTable({
    ownerId: v.string(),
    key: v.string(),
    label: v.string(),
    uses: v.number(),
  }).index("by_owner", ["ownerId", "key"]),

  taggings: defineTable({
    tagId: v.id("tags"),
    kind: v.union(v.literal("design"), v.literal("image")),
    thing: v.union(v.id("designs"), v.id("designImages")),
  })
    .index("by_tag", ["tagId", "kind"])
    .index("by_thing", ["thing", "tagId"]),
};
