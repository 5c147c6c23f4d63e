import { v } from "convex/values";
import { serverMutation } from "../model/access";

/** Counts a request of the key. After `max` requests within `window` seconds, refuses it and returns the seconds to wait. */
export const consume = serverMutation({
  args: { key: v.string(), window: v.number(), max: v.number() },
  returns: v.object({ allowed: v.boolean(), retryAfter: v.union(v.number(), v.null()) }),
  handler: async ({ db }, { key, window, max }) => {
    const now = Date.now();
    const row = await db
      .query("rateLimits")
      .withIndex("key", (q) => q.eq("key", key))
      .unique();
    const end = row ? row.lastRequest + window * 1000 : now;
    const count = end > now ? (row?.count ?? 0) : 0;
    if (count >= max) return { allowed: false, retryAfter: Math.ceil((end - now) / 1000) };
    if (row) await db.patch(row._id, { count: count + 1, lastRequest: now });
    else await db.insert("rateLimits", { id: key, key, count: 1, lastRequest: now });
    return { allowed: true, retryAfter: null };
  },
});
