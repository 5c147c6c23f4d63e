import { mutationGeneric as mutation, queryGeneric as query } from "convex/server";
import { v } from "convex/values";

export const insert = mutation({
  args: { key: v.number(), text: v.string() },
  handler: async (ctx, row) => ctx.db.insert("rows", row),
});

export const get = query({ args: { id: v.id("rows") }, handler: async (ctx, { id }) => ctx.db.get(id) });

export const atKey = query({
  args: { key: v.number() },
  handler: async (ctx, { key }) =>
    ctx.db
      .query("rows")
      .withIndex("by_key", (q) => q.eq("key", key))
      .take(10),
});

export const ids = query({
  args: { count: v.number() },
  handler: async (ctx, { count }) => (await ctx.db.query("rows").take(count)).map(({ _id }) => _id),
});

export const touch = mutation({
  args: { id: v.id("rows"), text: v.string() },
  handler: async (ctx, { id, text }) => ctx.db.patch(id, { text }),
});

export const fill = mutation({
  args: { from: v.number(), count: v.number() },
  handler: async (ctx, { from, count }) => {
    for (let key = from; key < from + count; key += 1) await ctx.db.insert("rows", { key, text: `row number ${key}` });
  },
});
