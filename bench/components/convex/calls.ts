import { anyApi, componentsGeneric, queryGeneric as query, mutationGeneric as mutation, type FunctionReference } from "convex/server";
import { v } from "convex/values";

const { store0 } = componentsGeneric();

/** Untyped, because `convex/_generated` exists only after the push. */
const own = anyApi.rows?.get as unknown as FunctionReference<"query">;
const mounted = store0?.rows as unknown as {
  get: FunctionReference<"query", "internal">;
  insert: FunctionReference<"mutation", "internal">;
};

export const inApp = query({ args: { id: v.string() }, handler: async (ctx, args) => ctx.runQuery(own, args) });
export const inComponent = query({ args: { id: v.string() }, handler: async (ctx, args) => ctx.runQuery(mounted.get, args) });
export const insert = mutation({
  args: { key: v.number(), text: v.string() },
  handler: async (ctx, args) => ctx.runMutation(mounted.insert, args),
});
