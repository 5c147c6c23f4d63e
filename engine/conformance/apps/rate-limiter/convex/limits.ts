import { HOUR, RateLimiter } from "@convex-dev/rate-limiter";
import { v } from "convex/values";
import { components } from "./_generated/api";
import { mutation, query } from "./_generated/server";

const limits = {
  send: { kind: "fixed window", rate: 2, period: HOUR },
  fill: { kind: "token bucket", rate: 10, period: HOUR, capacity: 3 },
} as const;
const limiter = new RateLimiter(components.rateLimiter, limits);
const other = new RateLimiter(components.otherLimiter, limits);

export const send = mutation({
  args: { key: v.string() },
  handler: async (ctx, { key }) => (await limiter.limit(ctx, "send", { key })).ok,
});

export const sendElsewhere = mutation({
  args: { key: v.string() },
  handler: async (ctx, { key }) => (await other.limit(ctx, "send", { key })).ok,
});

export const fill = mutation({
  args: { count: v.number() },
  handler: async (ctx, { count }) => (await limiter.limit(ctx, "fill", { count })).ok,
});

export const check = query({
  args: { key: v.string() },
  handler: async (ctx, { key }) => (await limiter.check(ctx, "send", { key })).ok,
});

export const reset = mutation({
  args: { key: v.string() },
  handler: async (ctx, { key }) => {
    await limiter.reset(ctx, "send", { key });
  },
});

export const sendOrThrow = mutation({
  args: { key: v.string() },
  handler: async (ctx, { key }) => {
    await limiter.limit(ctx, "send", { key, throws: true });
  },
});
