import type { Doc, Id } from "../../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../../_generated/server";

type FileRow = Doc<"designImages"> | Doc<"imageVersions">;

export async function discardFile(ctx: MutationCtx, storageId: Id<"_storage">): Promise<void> {
  if (!(await isFileInUse(ctx, storageId)) && (await ctx.db.system.get(storageId))) await ctx.storage.delete(storageId);
}

/** Deletes a file and its variants (`released.ts`) unless another row refers to it. Returns whether the owner no longer stores it. */
export async function releaseFile(ctx: MutationCtx, { storageId, checksum, ownerId }: FileRow): Promise<boolean> {
  const other = await rowOfFile(ctx, storageId);
  if (other) return other.ownerId !== ownerId && (await rowOfFile(ctx, storageId, { ownerId })) === null;
  if (!(await ctx.db.system.get(storageId))) return false;
  await ctx.storage.delete(storageId);
  await ctx.db.insert("releasedFiles", { checksum });
  return true;
}

export async function isFileInUse(ctx: QueryCtx, storageId: Id<"_storage">): Promise<boolean> {
  if (await rowOfFile(ctx, storageId)) return true;
  const inComment = await ctx.db
    .query("commentImages")
    .withIndex("by_storage", (q) => q.eq("storageId", storageId))
    .first();
  return inComment !== null;
}

export async function rowOfFile(
  ctx: QueryCtx,
  storageId: Id<"_storage">,
  owned?: { ownerId: string | undefined },
): Promise<FileRow | null> {
  for (const table of ["designImages", "imageVersions"] as const) {
    const row = await ctx.db
      .query(table)
      .withIndex("by_storage", (q) => {
        const ofFile = q.eq("storageId", storageId);
        return owned ? ofFile.eq("ownerId", owned.ownerId) : ofFile;
      })
      .first();
    if (row) return row;
  }
  return null;
}
