import { type Infer, v } from "convex/values";
import type { Doc } from "../../_generated/dataModel";
import { notFound } from "../errors";
import type { Target } from "./order";

export const reorderArgs = {
  id: v.string(),
  to: v.union(v.literal("up"), v.literal("down"), v.literal("first"), v.literal("last"), v.literal("before"), v.literal("after")),
  beside: v.optional(v.string()),
};

type ReorderTarget = { to: Infer<typeof reorderArgs.to>; beside?: string };

export async function targetOf(
  { to, beside }: ReorderTarget,
  rowFor: (id: string) => Promise<Doc<"projects"> | Doc<"designs"> | Doc<"designImages">>,
): Promise<Target> {
  if (to !== "before" && to !== "after") return to;
  if (beside === undefined) throw notFound();
  const row = await rowFor(beside);
  return to === "before" ? { before: row } : { after: row };
}
