import { v } from "convex/values";
import { internalMutation } from "../_generated/server";
import { forgetItem } from "../model/activities/forgetItem";

export const forget = internalMutation({
  args: { item: v.union(v.literal("project"), v.literal("design"), v.literal("image")), id: v.string() },
  returns: v.null(),
  handler: async (ctx, { item, id }) => {
    await forgetItem(ctx, item, id);
    return null;
  },
});
