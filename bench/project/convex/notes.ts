import { mutationGeneric as mutation } from "convex/server";
import { v } from "convex/values";

export const add = mutation({
  args: { key: v.number(), text: v.string(), deleting: v.boolean() },
  handler: async (ctx, { deleting, ...note }) => {
    const oldest = await ctx.db
      .query("notes")
      .withIndex("by_key", (q) => q.eq("key", note.key))
      .first();
    if (deleting && oldest) await ctx.db.delete(oldest._id);
    await ctx.db.insert("notes", note);
  },
});

export const rename = mutation({
  args: { text: v.string(), answers: v.boolean() },
  handler: (_ctx, { text, answers }) => Promise.resolve(answers ? text : null),
});
