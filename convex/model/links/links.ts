import { internal } from "../../_generated/api";
import type { Doc } from "../../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../../_generated/server";

export type LinkReference = { linkId: string; lock: number };

/** Returns null for a link that is unknown, revoked or expired, or whose password has changed since. */
export async function openLink({ db }: Pick<QueryCtx, "db">, { linkId, lock }: LinkReference): Promise<Doc<"links"> | null> {
  const id = db.normalizeId("links", linkId);
  const link = id && (await db.get(id));
  return link && isOpen(link) && link.lock === lock ? link : null;
}

export async function linkOfToken({ db }: Pick<QueryCtx, "db">, tokenHash: string): Promise<Doc<"links"> | null> {
  const link = await db
    .query("links")
    .withIndex("by_token", (q) => q.eq("tokenHash", tokenHash))
    .unique();
  return link && isOpen(link) ? link : null;
}

export const isOpen = ({ expiresAt, expiredAt }: Doc<"links">): boolean =>
  expiredAt === undefined && (expiresAt === undefined || expiresAt > Date.now());

export const visitsOf = ({ db }: Pick<QueryCtx, "db">, linkId: Doc<"links">["_id"]): Promise<Doc<"linkVisits"> | null> =>
  db
    .query("linkVisits")
    .withIndex("by_link", (q) => q.eq("linkId", linkId))
    .unique();

export async function deleteLink(ctx: MutationCtx, { _id }: Doc<"links">): Promise<void> {
  const visits = await visitsOf(ctx, _id);
  if (visits) await ctx.db.delete(visits._id);
  const saved = await ctx.db
    .query("savedLinks")
    .withIndex("by_link", (q) => q.eq("linkId", _id))
    .first();
  if (saved) await ctx.scheduler.runAfter(0, internal.jobs.links.forgetSaved, { linkId: _id });
  await ctx.db.delete(_id);
}
