import { WorkflowManager, type WorkflowId } from "@convex-dev/workflow";
import { v } from "convex/values";
import { components, internal } from "./_generated/api";
import { internalAction, internalMutation, internalQuery, mutation, query } from "./_generated/server";

const manager = new WorkflowManager(components.workflow, {
  workpoolOptions: { defaultRetryBehavior: { maxAttempts: 3, initialBackoffMs: 50, base: 2 }, retryActionsByDefault: true },
});

export const greeting = manager.define({
  args: { name: v.string() },
  handler: async (step, { name }): Promise<string> => {
    const asked = await step.runQuery(internal.flow.ask, { name });
    const [left, right] = await Promise.all([
      step.runAction(internal.flow.act, { name, step: "left" }),
      step.runAction(internal.flow.act, { name, step: "right" }),
    ]);
    await step.runMutation(internal.flow.note, { name, step: "last" });
    return [asked, left, right].join(" ");
  },
});

export const waiting = manager.define({
  args: { name: v.string() },
  handler: async (step, { name }): Promise<void> => {
    await step.runMutation(internal.flow.note, { name, step: "first" });
    await step.runMutation(internal.flow.note, { name, step: "never" }, { runAfter: 600_000 });
  },
});

export const start = mutation({
  args: { name: v.string(), flow: v.union(v.literal("greeting"), v.literal("waiting")) },
  handler: async (ctx, { name, flow }): Promise<string> => await manager.start(ctx, internal.flow[flow], { name }),
});

export const cancel = mutation({
  args: { id: v.string() },
  handler: async (ctx, { id }) => {
    await manager.cancel(ctx, id as WorkflowId);
  },
});

export const cleanup = mutation({
  args: { id: v.string() },
  handler: async (ctx, { id }): Promise<boolean> => await manager.cleanup(ctx, id as WorkflowId),
});

export const status = query({
  args: { id: v.string() },
  handler: async (ctx, { id }) => {
    const found = await manager.status(ctx, id as WorkflowId);
    return { type: found.type, result: found.type === "completed" ? found.result : null };
  },
});

export const ask = internalQuery({ args: { name: v.string() }, handler: async (_ctx, { name }) => `hello ${name}` });

export const act = internalAction({
  args: { name: v.string(), step: v.string() },
  handler: async (ctx, args) => {
    const earlier: string[] = await ctx.runQuery(internal.flow.stepsOf, { name: args.name });
    await ctx.runMutation(internal.flow.note, args);
    if (args.step === "right" && !earlier.includes("right")) throw new Error("The first attempt fails.");
    return args.step;
  },
});

export const note = internalMutation({
  args: { name: v.string(), step: v.string() },
  handler: async (ctx, args) => {
    await ctx.db.insert("steps", args);
  },
});

export const stepsOf = internalQuery({
  args: { name: v.string() },
  handler: async (ctx, { name }) =>
    (
      await ctx.db
        .query("steps")
        .withIndex("by_name", (q) => q.eq("name", name))
        .collect()
    ).map(({ step }) => step),
});

export const steps = query({
  args: { name: v.string() },
  handler: async (ctx, { name }): Promise<string[]> => await ctx.runQuery(internal.flow.stepsOf, { name }),
});
