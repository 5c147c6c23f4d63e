import { v } from "convex/values";
import { internalMutation } from "../model/functions";
import { redactItem } from "../model/activities/redactItem";

export const forget = internalMutation({
  args: { item: v.union(v.literal("project"), v.literal("design"), v.literal("image")), id: v.string() },
  returns: v.null(),
  handler: async (ctx, { item, id }) => {
    await redactItem(ctx, item, id);
    return null;
  },
});
