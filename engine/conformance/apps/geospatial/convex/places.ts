import { GeospatialIndex } from "@convex-dev/geospatial";
import { v } from "convex/values";
import { components } from "./_generated/api";
import { mutation, query } from "./_generated/server";

const places = new GeospatialIndex<string, { kind: string }>(components.geospatial);
const coordinates = v.object({ latitude: v.number(), longitude: v.number() });

export const add = mutation({
  args: { key: v.string(), coordinates, kind: v.string() },
  handler: async (ctx, { key, coordinates, kind }) => {
    await places.insert(ctx, key, coordinates, { kind });
  },
});

export const get = query({ args: { key: v.string() }, handler: async (ctx, { key }) => (await places.get(ctx, key))?.coordinates ?? null });

export const within = query({
  args: { west: v.number(), south: v.number(), east: v.number(), north: v.number(), kind: v.optional(v.string()) },
  handler: async (ctx, { kind, ...rectangle }) => {
    const found = await places.query(ctx, {
      shape: { type: "rectangle", rectangle },
      limit: 10,
      ...(kind !== undefined && { filter: (q) => q.eq("kind", kind) }),
    });
    return found.results.map(({ key }) => key).sort();
  },
});

export const remove = mutation({ args: { key: v.string() }, handler: async (ctx, { key }) => await places.remove(ctx, key) });
