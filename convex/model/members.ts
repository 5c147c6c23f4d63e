import type { Doc, Id } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";

export function memberOf({ db }: Pick<QueryCtx, "db">, projectId: Id<"projects">, userId: string): Promise<Doc<"projectMembers"> | null> {
  return db
    .query("projectMembers")
    .withIndex("by_project", (q) => q.eq("projectId", projectId).eq("userId", userId))
    .unique();
}

export const userOf = ({ db }: Pick<QueryCtx, "db">, userId: string): Promise<Doc<"users"> | null> =>
  db
    .query("users")
    .withIndex("id", (q) => q.eq("id", userId))
    .unique();

export const DELETED_USER = "Deleted user";

/** Returns a placeholder for users without a name, because only members with the right "manageMembers" can see addresses. */
export const nameOf = (user: Doc<"users"> | null): string => user?.name || "Unnamed user";
