import { type Infer, v } from "convex/values";
import type { Doc, Id } from "../../_generated/dataModel";
import type { QueryCtx } from "../../_generated/server";
import type { CallerCtx } from "../access";
import { isOpen } from "./links";
import { targetOf, targetShape } from "./linkTargets";

/** Maximum per person, so that one query returns all. */
export const SAVED_MAX = 200;

export const savedLinkShape = v.object({
  _id: v.id("savedLinks"),
  savedAt: v.number(),
  /** "unavailable": revoked, or its target is in the trash, deleted or in another project. */
  state: v.union(v.literal("open"), v.literal("passwordChanged"), v.literal("expired"), v.literal("unavailable")),
  /** `target`: null unless the state is "open". `sealedToken`: null unless it is "open" or "passwordChanged". */
  target: v.union(targetShape, v.null()),
  sealedToken: v.union(v.string(), v.null()),
});
type SavedLink = Infer<typeof savedLinkShape>;

export async function toSavedLink(ctx: QueryCtx, { _id, savedAt, linkId, lock }: Doc<"savedLinks">): Promise<SavedLink> {
  const hidden = { _id, savedAt, target: null, sealedToken: null };
  const link = await ctx.db.get(linkId);
  if (!link) return { ...hidden, state: "unavailable" };
  if (!isOpen(link)) return { ...hidden, state: "expired" };
  const target = await targetOf(ctx, link);
  if (!target) return { ...hidden, state: "unavailable" };
  const { sealedToken } = link;
  return link.lock === lock ? { _id, savedAt, target, sealedToken, state: "open" } : { ...hidden, sealedToken, state: "passwordChanged" };
}

export const savedLinks = ({ db, user }: CallerCtx): Promise<Doc<"savedLinks">[]> =>
  db
    .query("savedLinks")
    .withIndex("by_user", (q) => q.eq("userId", user.id))
    .order("desc")
    .take(SAVED_MAX);

export const savedLink = ({ db, user }: CallerCtx, linkId: Id<"links">): Promise<Doc<"savedLinks"> | null> =>
  db
    .query("savedLinks")
    .withIndex("by_link", (q) => q.eq("linkId", linkId).eq("userId", user.id))
    .unique();
