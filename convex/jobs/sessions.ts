import { v } from "convex/values";
import { internalMutation } from "../model/functions";
import { endSessions } from "../model/admin/endSessions";

export const end = internalMutation({
  args: { userId: v.string() },
  returns: v.null(),
  handler: async (ctx, { userId }) => {
    await endSessions(ctx, userId);
    return null;
  },
});
