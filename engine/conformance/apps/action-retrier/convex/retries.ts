import { ActionRetrier, runIdValidator } from "@convex-dev/action-retrier";
import { v } from "convex/values";
import { components, internal } from "./_generated/api";
import { internalAction, internalMutation, mutation, query } from "./_generated/server";

const retrier = new ActionRetrier(components.actionRetrier, { initialBackoffMs: 20, base: 1, maxFailures: 3 });

export const start = mutation({
  args: { name: v.string(), failures: v.number() },
  handler: async (ctx, args): Promise<string> => await retrier.run(ctx, internal.retries.act, args),
});

export const status = query({ args: { id: runIdValidator }, handler: async (ctx, { id }) => await retrier.status(ctx, id) });

export const act = internalAction({
  args: { name: v.string(), failures: v.number() },
  handler: async (ctx, { name, failures }) => {
    const attempt: number = await ctx.runMutation(internal.retries.attempt, { name });
    if (attempt <= failures) throw new Error(`attempt ${attempt} failed`);
    return attempt;
  },
});

export const attempt = internalMutation({
  args: { name: v.string() },
  handler: async (ctx, { name }) => {
    await ctx.db.insert("attempts", { name });
    return (
      await ctx.db
        .query("attempts")
        .withIndex("by_name", (q) => q.eq("name", name))
        .collect()
    ).length;
  },
});
