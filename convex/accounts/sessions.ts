import type { GenericDatabaseReader } from "convex/server";
import type { DataModel, Doc } from "../_generated/dataModel";

/**
 * The signed-in person behind a session id (the `sessionId` claim of a user's token), or null when the session is unknown, has been ended or
 * belongs to somebody else than the token says. Reading the row in every data function is what ends live queries at sign-out. Whether its time is
 * over is not asked: a person's token ends with their session, and a query that reads the clock is run anew each time
 * (docs.convex.dev/understanding/best-practices: no `Date.now()` in queries).
 */
export async function sessionOf(
  db: GenericDatabaseReader<DataModel>,
  { sessionId, userId }: { sessionId: string; userId?: string },
): Promise<{ session: Doc<"sessions">; user: Doc<"users"> } | null> {
  const session = await db
    .query("sessions")
    .withIndex("id", (q) => q.eq("id", sessionId))
    .unique();
  if (!session || (userId !== undefined && session.userId !== userId)) return null;
  const user = await db
    .query("users")
    .withIndex("id", (q) => q.eq("id", session.userId))
    .unique();
  return user && { session, user };
}
