import { mutationGeneric as mutation, queryGeneric as query } from "convex/server";
import { v } from "convex/values";

export const insert = mutation({ args: { key: v.number(), text: v.string() }, handler: async (ctx, row) => ctx.db.insert("rows", row) });
export const get = query({ args: { id: v.id("rows") }, handler: async (ctx, { id }) => ctx.db.get(id) });
