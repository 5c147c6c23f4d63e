import { vOnCompleteArgs, Workpool, type WorkId } from "@convex-dev/workpool";
import { v } from "convex/values";
import { components, internal } from "./_generated/api";
import { internalAction, internalMutation, mutation, query } from "./_generated/server";

const first = new Workpool(components.first, { maxParallelism: 3 });
const second = new Workpool(components.second, { maxParallelism: 1 });

export const enqueue = mutation({
  args: { name: v.string(), failures: v.number() },
  handler: async (ctx, { name, failures }): Promise<string> =>
    await first.enqueueAction(
      ctx,
      internal.work.act,
      { name, failures },
      { retry: { maxAttempts: 4, initialBackoffMs: 50, base: 2 }, onComplete: internal.work.completed, context: { name } },
    ),
});

export const enqueueMutations = mutation({
  args: { names: v.array(v.string()) },
  handler: async (ctx, { names }) => {
    for (const name of names)
      await second.enqueueMutation(ctx, internal.work.note, { name }, { onComplete: internal.work.completed, context: { name } });
  },
});

export const enqueueNodeAction = mutation({
  args: { name: v.string() },
  handler: async (ctx, { name }) => {
    await first.enqueueAction(ctx, internal.webhooks.verify, { name }, { onComplete: internal.work.completed, context: { name } });
  },
});

export const enqueueLater = mutation({
  args: { name: v.string() },
  handler: async (ctx, { name }): Promise<string> =>
    await second.enqueueMutation(
      ctx,
      internal.work.note,
      { name },
      { runAfter: 600_000, onComplete: internal.work.completed, context: { name } },
    ),
});

export const cancel = mutation({
  args: { id: v.string() },
  handler: async (ctx, { id }) => {
    await second.cancel(ctx, id as WorkId);
  },
});

export const status = query({ args: { id: v.string() }, handler: async (ctx, { id }) => (await first.status(ctx, id as WorkId)).state });

export const act = internalAction({
  args: { name: v.string(), failures: v.number() },
  handler: async (ctx, { name, failures }) => {
    const attempt = await ctx.runMutation(internal.work.attempt, { name });
    if (attempt <= failures) throw new Error(`attempt ${attempt} failed`);
    return attempt;
  },
});

export const attempt = internalMutation({
  args: { name: v.string() },
  handler: async (ctx, { name }): Promise<number> => {
    await ctx.db.insert("attempts", { name });
    return (
      await ctx.db
        .query("attempts")
        .withIndex("by_name", (q) => q.eq("name", name))
        .collect()
    ).length;
  },
});

export const note = internalMutation({
  args: { name: v.string() },
  handler: async (ctx, { name }) => {
    await ctx.db.insert("attempts", { name });
    return name;
  },
});

export const completed = internalMutation({
  args: vOnCompleteArgs(v.object({ name: v.string() })),
  handler: async (ctx, { context, result }) => {
    const value = result.kind === "success" ? result.returnValue : result.kind === "failed" ? result.error : null;
    await ctx.db.insert("results", { name: context.name, kind: result.kind, value });
  },
});

export const results = query({
  args: { name: v.string() },
  handler: async (ctx, { name }) =>
    (
      await ctx.db
        .query("results")
        .withIndex("by_name", (q) => q.eq("name", name))
        .collect()
    ).map(({ kind, value }) => ({ kind, value })),
});
