import type { Doc, Id } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";

export function memberOf({ db }: Pick<QueryCtx, "db">, projectId: Id<"projects">, userId: string): Promise<Doc<"projectMembers"> | null> {
  return db
    .query("projectMembers")
    .withIndex("by_project", (q) => q.eq("projectId", projectId).eq("userId", userId))
    .unique();
}
