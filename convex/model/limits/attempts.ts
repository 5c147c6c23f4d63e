import { type ObjectType, v } from "convex/values";
import type { MutationCtx } from "../../_generated/server";

export const attempts = {
  limits: v.array(v.object({ key: v.string(), most: v.number() })),
  seconds: v.number(),
  takeBack: v.optional(v.literal(true)),
};

/** Counts an attempt for each key, or subtracts a successful one. Returns the seconds to wait at the limit of a key, otherwise 0. */
export async function countAttempts({ db }: MutationCtx, { limits, seconds, takeBack }: ObjectType<typeof attempts>): Promise<number> {
  const now = Date.now();
  const rows = await Promise.all(
    limits.map(async ({ key, most }) => {
      const name = `link ${key}`;
      const row = await db
        .query("rateLimits")
        .withIndex("key", (q) => q.eq("key", name))
        .unique();
      // `lastRequest` is the end of the window, because Better Auth deletes rows in the past.
      const isCurrent = row !== null && row.lastRequest > now;
      return { name, most, row, count: isCurrent ? row.count : 0, end: isCurrent ? row.lastRequest : now + seconds * 1000 };
    }),
  );
  const full = rows.filter(({ count, most }) => count >= most);
  if (full.length > 0 && !takeBack) return Math.max(...full.map(({ end }) => Math.ceil((end - now) / 1000)));
  for (const { name, row, count, end } of rows) {
    if (row) await db.patch(row._id, { count: takeBack ? Math.max(0, count - 1) : count + 1, lastRequest: end });
    else if (!takeBack) await db.insert("rateLimits", { id: name, key: name, count: 1, lastRequest: end });
  }
  return 0;
}
