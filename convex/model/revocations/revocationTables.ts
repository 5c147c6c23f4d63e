import { defineTable } from "convex/server";
import { v } from "convex/values";

export const revocationTables = {
  /** Changed rows that can decide who sees an image (decision 227). Empty for more than `ROWS_MAX`, which means all rows. */
  revocations: defineTable({ rows: v.array(v.string()) }),
};
