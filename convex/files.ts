import type { Id } from "./_generated/dataModel";
import type { MutationCtx } from "./_generated/server";

/** Deletes a stored file unless a row still points at it. Answers whether it deleted one. */
export async function releaseFile(ctx: MutationCtx, storageId: Id<"_storage">): Promise<boolean> {
  const row = await ctx.db
    .query("designImages")
    .withIndex("by_storage", (q) => q.eq("storageId", storageId))
    .first();
  if (row || !(await ctx.db.system.get(storageId))) return false;
  await ctx.storage.delete(storageId);
  return true;
}
