import { v } from "convex/values";
import { internalMutation } from "../_generated/server";

/** Marks a link at the end of its time, so that visitors' live queries run again and are refused. */
export const expire = internalMutation({
  args: { id: v.id("links") },
  returns: v.null(),
  handler: async ({ db }, { id }) => {
    const link = await db.get(id);
    const now = Date.now();
    if (link?.expiresAt !== undefined && link.expiresAt <= now) await db.patch(id, { expiredAt: now });
    return null;
  },
});
