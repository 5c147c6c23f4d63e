import { ShardedCounter } from "@convex-dev/sharded-counter";
import { v } from "convex/values";
import { components } from "./_generated/api";
import { mutation, query } from "./_generated/server";

const counter = new ShardedCounter(components.shardedCounter, { shards: { many: 16 } });

export const add = mutation({
  args: { key: v.string(), count: v.number() },
  handler: async (ctx, { key, count }) => {
    await counter.add(ctx, key, count);
  },
});

export const count = query({ args: { key: v.string() }, handler: async (ctx, { key }) => await counter.count(ctx, key) });

export const rebalance = mutation({
  args: { key: v.string() },
  handler: async (ctx, { key }) => {
    await counter.rebalance(ctx, key);
  },
});
