import type { GenericDatabaseReader } from "convex/server";
import type { DataModel, Doc } from "../../_generated/dataModel";

/** Returns null also for a disabled account. Does not check the expiry: tokens expire too, and queries must not read the clock (docs.convex.dev/understanding/best-practices). */
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
  return user && user.disabledAt === undefined ? { session, user } : null;
}
