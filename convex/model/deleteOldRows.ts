import type { MutationCtx } from "../_generated/server";

const BATCH = 500;

/** Deletes at most 500 rows that were created longer ago than `retentionMs`. Returns whether others may be left. */
export async function deleteOldRows(
  { db }: Pick<MutationCtx, "db">,
  table: "releasedFiles" | "revocations",
  retentionMs: number,
): Promise<boolean> {
  const rows = await db
    .query(table)
    .withIndex("by_creation_time", (q) => q.lt("_creationTime", Date.now() - retentionMs))
    .take(BATCH);
  for (const { _id } of rows) await db.delete(_id);
  return rows.length === BATCH;
}
