import type { Id } from "./_generated/dataModel";
import type { MutationCtx, QueryCtx } from "./_generated/server";

/**
 * Deletes a stored file unless a row still points at it. Answers whether it deleted one.
 *
 * @param checksum of a file that people have seen: app servers may keep smaller copies, and are told to forget them (`released.ts`)
 */
export async function releaseFile(ctx: MutationCtx, storageId: Id<"_storage">, checksum?: string): Promise<boolean> {
  if ((await fileIsTaken(ctx, storageId)) || !(await ctx.db.system.get(storageId))) return false;
  await ctx.storage.delete(storageId);
  if (checksum !== undefined) await ctx.db.insert("releasedFiles", { checksum });
  return true;
}

/** Whether an image, or a version of one, has this file. */
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
