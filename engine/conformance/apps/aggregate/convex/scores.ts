import { TableAggregate } from "@convex-dev/aggregate";
import { v } from "convex/values";
import { components } from "./_generated/api";
import type { DataModel } from "./_generated/dataModel";
import { mutation, query } from "./_generated/server";

const byScore = new TableAggregate<{ Key: number; DataModel: DataModel; TableName: "scores" }>(components.aggregate, {
  sortKey: ({ score }) => score,
  sumValue: ({ score }) => score,
});
const byPlayer = new TableAggregate<{ Namespace: string; Key: number; DataModel: DataModel; TableName: "scores" }>(components.byPlayer, {
  namespace: ({ player }) => player,
  sortKey: ({ score }) => score,
});

export const add = mutation({
  args: { player: v.string(), scores: v.array(v.number()) },
  handler: async (ctx, { player, scores }) => {
    for (const score of scores) {
      const document = await ctx.db.get(await ctx.db.insert("scores", { player, score }));
      if (!document) throw new Error("The score is missing.");
      await byScore.insert(ctx, document);
      await byPlayer.insert(ctx, document);
    }
  },
});

export const removeLowest = mutation({
  args: {},
  handler: async (ctx) => {
    const lowest = await byScore.min(ctx);
    const document = lowest && (await ctx.db.get(lowest.id));
    if (!document) throw new Error("There is no score.");
    await ctx.db.delete(document._id);
    await byScore.delete(ctx, document);
    await byPlayer.delete(ctx, document);
  },
});

export const totals = query({
  args: { player: v.string() },
  handler: async (ctx, { player }) => ({
    count: await byScore.count(ctx),
    sum: await byScore.sum(ctx),
    above50: await byScore.count(ctx, { bounds: { lower: { key: 50, inclusive: false } } }),
    third: (await byScore.at(ctx, 2)).key,
    rankOf70: await byScore.indexOf(ctx, 70),
    ofPlayer: await byPlayer.count(ctx, { namespace: player }),
    highest: (await byPlayer.max(ctx, { namespace: player }))?.key ?? null,
  }),
});
