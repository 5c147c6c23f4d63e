import { internalMutationGeneric } from "convex/server";
import { v } from "convex/values";

export const insert = internalMutationGeneric({
  args: { table: v.string(), row: v.any() },
  handler: ({ db }, { table, row }) => db.insert(table, row),
});

export const insertMany = internalMutationGeneric({
  args: { table: v.string(), rows: v.array(v.any()) },
  handler: async ({ db }, { table, rows }) => {
    for (const row of rows) await db.insert(table, row);
  },
});

export const uploadUrl = internalMutationGeneric({
  args: {},
  handler: ({ storage }) => storage.generateUploadUrl(),
});
