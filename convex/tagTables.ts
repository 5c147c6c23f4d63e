import { defineTable } from "convex/server";
import { v } from "convex/values";

/**
 * Tags. What carries one has its words on its own row (`tags`), so that showing a thing reads nothing more; these tables are for the other
 * direction. `tagging.ts` keeps all three together.
 */
export const tagTables = {
  /** The tags that somebody uses, each once, as it was first written. Gone with the last thing that carries it. */
  tags: defineTable({
    ownerId: v.string(),
    /** By which two are the same: `tagKey`. */
    key: v.string(),
    label: v.string(),
    /** How many things carry it, those in the trash too. */
    uses: v.number(),
  }).index("by_owner", ["ownerId", "key"]),

  /** One row for each thing that carries a tag, so that all that has it can be read page by page. */
  taggings: defineTable({
    tagId: v.id("tags"),
    kind: v.union(v.literal("design"), v.literal("image")),
    thing: v.union(v.id("designs"), v.id("designImages")),
  })
    .index("by_tag", ["tagId", "kind"])
    .index("by_thing", ["thing", "tagId"]),
};
