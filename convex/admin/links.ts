import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { type Infer, v } from "convex/values";
import type { Doc } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";
import { administratorQuery, recentAdministratorMutation } from "../model/access";
import { type FindPerson, peopleIn, personShape, userIdOf } from "../model/admin/shownPerson";
import { recordAuditEvent } from "../model/audit/recordAuditEvent";
import { pageOf } from "../model/lists/paging";
import { deleteLink, isOpen, visitsOf } from "../model/links/links";
import { allowsComments } from "../model/links/linkSettings";

/** Public links of all accounts. Their names and the names of their targets are content, which administrators do not see. */

const listedLink = v.object({
  _id: v.id("links"),
  kind: v.union(v.literal("project"), v.literal("design"), v.literal("image")),
  creator: personShape,
  hasPassword: v.boolean(),
  downloads: v.boolean(),
  comments: v.boolean(),
  createdAt: v.number(),
  expiresAt: v.union(v.number(), v.null()),
  isExpired: v.boolean(),
  visits: v.number(),
  lastUsedAt: v.union(v.number(), v.null()),
});
export type ListedLink = Infer<typeof listedLink>;

/** Returns the newest links first. `person`: id or email address of the creator. */
export const list = administratorQuery({
  args: { person: v.optional(v.string()), paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(listedLink),
  handler: async (ctx, { person, paginationOpts }) => {
    const createdBy = person === undefined ? null : await userIdOf(ctx, person);
    const links = ctx.db.query("links");
    const found = createdBy === null ? links : links.withIndex("by_creator", (q) => q.eq("createdBy", createdBy));
    const result = await found.order("desc").paginate(pageOf(paginationOpts));
    const people = peopleIn(ctx);
    return { ...result, page: await Promise.all(result.page.map((link) => toListed(ctx, link, people))) };
  },
});

async function toListed(ctx: QueryCtx, link: Doc<"links">, people: FindPerson): Promise<ListedLink> {
  const { _id, itemId, createdBy, passwordHash, downloads, createdAt, expiresAt = null } = link;
  const [visits, creator] = await Promise.all([visitsOf(ctx, _id), people(createdBy)]);
  return {
    _id,
    kind: ctx.db.normalizeId("projects", itemId) ? "project" : ctx.db.normalizeId("designs", itemId) ? "design" : "image",
    creator: creator ?? { id: createdBy, name: "", email: null },
    hasPassword: passwordHash !== undefined,
    downloads,
    comments: allowsComments(link),
    createdAt,
    expiresAt,
    isExpired: !isOpen(link),
    visits: visits?.visits ?? 0,
    lastUsedAt: visits?.lastUsedAt ?? null,
  };
}

export const revoke = recentAdministratorMutation({
  args: { linkId: v.string() },
  returns: v.boolean(),
  handler: async (ctx, { linkId }) => {
    const id = ctx.db.normalizeId("links", linkId);
    const link = id && (await ctx.db.get(id));
    if (!link) return false;
    await deleteLink(ctx, link);
    const origin = { actor: "administrator" as const, userId: link.createdBy, otherUserId: ctx.user.id };
    await recordAuditEvent(ctx, { action: "link.revoked", target: { kind: "link", id: link._id } }, origin);
    return true;
  },
});
