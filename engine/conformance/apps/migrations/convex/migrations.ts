import { Migrations } from "@convex-dev/migrations";
import { v } from "convex/values";
import { components, internal } from "./_generated/api";
import type { DataModel } from "./_generated/dataModel";
import { mutation, query } from "./_generated/server";

export const migrations = new Migrations<DataModel>(components.migrations);
export const run = migrations.runner();

export const addInitials = migrations.define({
  table: "people",
  batchSize: 10,
  migrateOne: (_ctx, { name }) => ({ initial: name.slice(0, 1) }),
});

export const fill = mutation({
  args: { count: v.number() },
  handler: async (ctx, { count }) => {
    for (let i = 0; i < count; i++) await ctx.db.insert("people", { name: `person ${i}` });
  },
});

export const start = mutation({
  args: {},
  handler: async (ctx) => {
    await migrations.runOne(ctx, internal.migrations.addInitials);
  },
});

export const status = query({
  args: {},
  handler: async (ctx) =>
    (await migrations.getStatus(ctx, { migrations: [internal.migrations.addInitials] })).map(({ state, processed }) => ({
      state,
      processed,
    })),
});

export const initials = query({
  args: {},
  handler: async (ctx) => (await ctx.db.query("people").collect()).filter(({ initial }) => initial === "p").length,
});
