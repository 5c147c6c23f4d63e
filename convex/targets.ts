import { type Infer, v } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import { notFound } from "./errors";
import type { Target } from "./order";

/** The arguments of the mutations that put something elsewhere in its list: one place, an end, or beside another thing of the same list. */
export const placeArgs = {
  id: v.string(),
  to: v.union(v.literal("up"), v.literal("down"), v.literal("first"), v.literal("last"), v.literal("before"), v.literal("after")),
  /** For "before" and "after": the id of what it is put beside. */
  beside: v.optional(v.string()),
};

type Place = { to: Infer<typeof placeArgs.to>; beside?: string };

/** What the arguments mean, with the row that they name looked up. Throws what `look` throws, "not_found" where no row is named that is needed. */
export async function targetOf(
  { to, beside }: Place,
  look: (id: string) => Promise<Doc<"projects"> | Doc<"designs"> | Doc<"designImages">>,
): Promise<Target> {
  if (to !== "before" && to !== "after") return to;
  if (beside === undefined) throw notFound();
  const row = await look(beside);
  return to === "before" ? { before: row } : { after: row };
}
