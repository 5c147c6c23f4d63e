import type { Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";

/** @param checksum set for files that users have seen: app servers delete their variants (`released.ts`) */
export async function releaseFile(ctx: MutationCtx, storageId: Id<"_storage">, checksum?: string): Promise<boolean> {
  if ((await fileIsTaken(ctx, storageId)) || !(await ctx.db.system.get(storageId))) return false;
  await ctx.storage.delete(storageId);
  if (checksum !== undefined) await ctx.db.insert("releasedFiles", { checksum });
  return true;
}

export async function fileIsTaken(ctx: QueryCtx, storageId: Id<"_storage">): Promise<boolean> {
  for (const table of ["designImages", "imageVersions"] as const) {
    const row = await ctx.db
      .query(table)
      .withIndex("by_storage", (q) => q.eq("storageId", storageId))
      .first();
    if (row) return true;
  }
  return false;
}
