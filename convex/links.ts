import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { type Infer, type ObjectType, v } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import type { QueryCtx } from "./_generated/server";
import {
  projectFor,
  serverMutation,
  serverMutationFor,
  serverQuery,
  serverQueryFor,
  fileQueryForLink,
  userMutation,
  type UserMutationCtx,
  userQuery,
} from "./model/access";
import { recordAuditEvent } from "./model/audit/recordAuditEvent";
import { check } from "./model/check";
import { conflict, limit, notFound } from "./model/errors";
import { imageFileArgs, imageFileFor, imageFileShape } from "./model/images/imageFile";
import { attempts, countAttempts } from "./model/limits/attempts";
import { deleteLink, isOpen, type LinkReference, linkOfToken, openLink, visitsOf } from "./model/links/links";
import { allowsComments, checkedSettings, hasSettings, linkSettings, scheduleExpiry } from "./model/links/linkSettings";
import { pathFor, type Target, targetOf, targetShape } from "./model/links/linkTargets";
import { SAVED_MAX, savedLink, savedLinks, savedLinkShape, toSavedLink } from "./model/links/savedLinks";
import { pageOf } from "./model/lists/paging";
import { chooseKey } from "./model/rules";
import { nameOf, userOf } from "./model/members";

/** Public links. The app server creates and hashes tokens and passwords, because functions have no secure random source. */

const HOUR = 60 * 60 * 1000;
const CREATED_PER_HOUR = 60;

const REVOKED_AT_ONCE = 100;

const managed = { projectId: v.string(), linkId: v.string() };

/** Returns the earlier link for a used `key`. Throws "invalid" for the name, the key or a past time, "limit" after too many links. */
export const create = serverMutationFor({
  args: {
    itemId: v.string(),
    tokenHash: v.string(),
    sealedToken: v.string(),
    passwordHash: v.union(v.string(), v.null()),
    key: v.optional(v.string()),
    ...linkSettings,
  },
  returns: v.id("links"),
  handler: async (ctx, { itemId, tokenHash, sealedToken, passwordHash, key, ...args }) => {
    const { project, ...path } = await pathFor(ctx, itemId);
    const target = (path.image ?? path.design ?? project)._id;
    const existing = key === undefined ? null : await linkByKey(ctx, target, key);
    if (existing) return existing._id;
    const createdAt = Date.now();
    const recent = await ctx.db
      .query("links")
      .withIndex("by_creator", (q) => q.eq("createdBy", ctx.user.id).gt("createdAt", createdAt - HOUR))
      .take(CREATED_PER_HOUR);
    if (recent.length >= CREATED_PER_HOUR) throw limit("Too many links. Try again in an hour.");
    const changes = checkedSettings(args);
    const id = await ctx.db.insert("links", {
      ...changes,
      projectId: project._id,
      itemId: target,
      tokenHash,
      sealedToken,
      ...(passwordHash !== null && { passwordHash }),
      lock: 0,
      createdBy: ctx.user.id,
      createdAt,
      ...(key !== undefined && { key }),
    });
    await scheduleExpiry(ctx, id, changes.expiresAt);
    await recordAuditEvent(ctx, { action: "link.created", target: { kind: "link", id } });
    return id;
  },
});

function linkByKey({ db, user }: Pick<UserMutationCtx, "db" | "user">, itemId: Doc<"links">["itemId"], sent: string) {
  const { key } = check(chooseKey, { key: sent });
  return db
    .query("links")
    .withIndex("by_key", (q) => q.eq("createdBy", user.id).eq("itemId", itemId).eq("key", key))
    .first();
}

/** Changes a link; a null `passwordHash` removes the password. Throws like `create`, and "conflict" unless the settings equal `before`. */
export const change = serverMutationFor({
  args: {
    ...managed,
    passwordHash: v.optional(v.union(v.string(), v.null())),
    ...linkSettings,
    before: v.optional(v.object({ ...linkSettings, hasPassword: v.boolean() })),
  },
  returns: v.null(),
  handler: async (ctx, { projectId, linkId, passwordHash, before, ...args }) => {
    const link = await managedLink(ctx, { projectId, linkId });
    if (before && !hasSettings(link, before)) throw conflict("This link was changed in the meantime. Check the settings, then save again.");
    const changes = checkedSettings(args, link);
    const password = passwordHash === undefined ? {} : { passwordHash: passwordHash ?? undefined, lock: link.lock + 1 };
    await ctx.db.patch(link._id, { ...changes, expiredAt: undefined, ...password });
    await scheduleExpiry(ctx, link._id, changes.expiresAt);
    await recordAuditEvent(ctx, { action: "link.changed", target: { kind: "link", id: link._id } });
    return null;
  },
});

export const revoke = userMutation({
  args: managed,
  returns: v.null(),
  handler: async (ctx, args) => {
    const link = await managedLink(ctx, args);
    await deleteLink(ctx, link);
    await recordAuditEvent(ctx, { action: "link.revoked", target: { kind: "link", id: link._id } });
    return null;
  },
});

const linkShape = v.object({
  _id: v.id("links"),
  ...linkSettings,
  /** Null for an item that is in the trash, deleted or in another project: visitors then see nothing. */
  target: v.union(targetShape, v.null()),
  hasPassword: v.boolean(),
  hasComments: v.boolean(),
  isExpired: v.boolean(),
  createdAt: v.number(),
  creator: v.string(),
  visits: v.number(),
  lastUsedAt: v.union(v.number(), v.null()),
  sealedToken: v.string(),
});
type Link = Infer<typeof linkShape>;

export const list = userQuery({
  args: { projectId: v.string(), paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(linkShape),
  handler: async (ctx, { projectId, paginationOpts }) => {
    const project = await projectFor(ctx, projectId, "manageLinks");
    const result = await ctx.db
      .query("links")
      .withIndex("by_project", (q) => q.eq("projectId", project._id))
      .order("desc")
      .paginate(pageOf(paginationOpts));
    return { ...result, page: await Promise.all(result.page.map((link) => toLink(ctx, link))) };
  },
});

async function toLink(ctx: QueryCtx, link: Doc<"links">): Promise<Link> {
  const { _id, name, downloads, expiresAt = null, passwordHash, createdAt, createdBy, sealedToken } = link;
  const [target, visits, user] = await Promise.all([targetOf(ctx, link), visitsOf(ctx, _id), userOf(ctx, createdBy)]);
  return {
    _id,
    name,
    downloads,
    comments: allowsComments(link),
    hasComments: link.hasComments === true,
    expiresAt,
    target,
    createdAt,
    sealedToken,
    hasPassword: passwordHash !== undefined,
    isExpired: !isOpen(link),
    creator: nameOf(user),
    visits: visits?.visits ?? 0,
    lastUsedAt: visits?.lastUsedAt ?? null,
  };
}

export const getItem = userQuery({
  args: { itemId: v.string() },
  returns: targetShape,
  handler: async (ctx, { itemId }): Promise<Target> => {
    const { project, design, image } = await pathFor(ctx, itemId);
    if (image) return { kind: "image", id: image._id, name: image.name };
    return design ? { kind: "design", id: design._id, name: design.name } : { kind: "project", id: project._id, name: project.name };
  },
});

/** Returns the data that opens a link; null for a token that is unknown, expired or revoked, or whose target is missing. */
export const find = serverQuery({
  args: { tokenHash: v.string() },
  returns: v.union(
    v.object({
      linkId: v.id("links"),
      lock: v.number(),
      passwordHash: v.union(v.string(), v.null()),
      downloads: v.boolean(),
      comments: v.boolean(),
      expiresAt: v.union(v.number(), v.null()),
      target: targetShape,
    }),
    v.null(),
  ),
  handler: async (ctx, { tokenHash }) => {
    const link = await linkOfToken(ctx, tokenHash);
    const target = link && (await targetOf(ctx, link));
    if (!link || !target) return null;
    const { _id: linkId, lock, passwordHash = null, downloads, expiresAt = null } = link;
    return { linkId, lock, passwordHash, downloads, comments: allowsComments(link), expiresAt, target };
  },
});

export const getFile = fileQueryForLink({
  args: imageFileArgs,
  returns: imageFileShape,
  handler: imageFileFor,
});

const reference = { linkId: v.string(), lock: v.number() };

/** Adds an opened link to the caller's "Shared with me". Throws "not_found" for an ended link, and "limit" beyond `SAVED_MAX`. */
export const save = serverMutationFor({
  args: reference,
  returns: v.null(),
  handler: async (ctx, args) => {
    const link = await openLink(ctx, args);
    if (!link || !(await targetOf(ctx, link))) throw notFound();
    const saved = await savedLink(ctx, link._id);
    if (saved) {
      await ctx.db.patch(saved._id, { lock: link.lock });
      return null;
    }
    if ((await savedLinks(ctx)).length >= SAVED_MAX) throw limit(`You can save up to ${SAVED_MAX} links. Remove one first.`);
    await ctx.db.insert("savedLinks", { userId: ctx.user.id, linkId: link._id, lock: link.lock, savedAt: Date.now() });
    return null;
  },
});

export const isSaved = serverQueryFor({
  args: reference,
  returns: v.boolean(),
  handler: async (ctx, { linkId, lock }: LinkReference) => {
    const id = ctx.db.normalizeId("links", linkId);
    return id !== null && (await savedLink(ctx, id))?.lock === lock;
  },
});

export const listSaved = userQuery({
  args: {},
  returns: v.array(savedLinkShape),
  handler: async (ctx) => Promise.all((await savedLinks(ctx)).map((saved) => toSavedLink(ctx, saved))),
});

export const forget = userMutation({
  args: { savedId: v.string() },
  returns: v.null(),
  handler: async (ctx, { savedId }) => {
    const id = ctx.db.normalizeId("savedLinks", savedId);
    const saved = id && (await ctx.db.get(id));
    if (saved?.userId !== ctx.user.id) throw notFound();
    await ctx.db.delete(saved._id);
    return null;
  },
});

export const noteVisits = serverMutation({
  args: { linkId: v.string(), visits: v.number() },
  returns: v.null(),
  handler: async (ctx, args) => {
    const linkId = ctx.db.normalizeId("links", args.linkId);
    if (!linkId || !(await ctx.db.get(linkId))) return null;
    const row = await visitsOf(ctx, linkId);
    const lastUsedAt = Date.now();
    if (row) await ctx.db.patch(row._id, { visits: row.visits + args.visits, lastUsedAt });
    else await ctx.db.insert("linkVisits", { linkId, visits: args.visits, lastUsedAt });
    return null;
  },
});

export const listAll = serverQuery({
  args: { paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(
    v.object({ _id: v.id("links"), name: v.string(), createdAt: v.number(), owner: v.string(), target: v.union(targetShape, v.null()) }),
  ),
  handler: async (ctx, { paginationOpts }) => {
    const result = await ctx.db.query("links").paginate(pageOf(paginationOpts));
    const shown = result.page.map(async (link) => {
      const user = await userOf(ctx, link.createdBy);
      return { _id: link._id, name: link.name, createdAt: link.createdAt, owner: user?.email ?? "", target: await targetOf(ctx, link) };
    });
    return { ...result, page: await Promise.all(shown) };
  },
});

/** Revokes one link, or the oldest ones, for the operator. Returns their number: below `REVOKED_AT_ONCE`, none are left. */
export const revokeAny = serverMutation({
  args: { linkId: v.optional(v.string()) },
  returns: v.number(),
  handler: async (ctx, args) => {
    const linkId = args.linkId === undefined ? undefined : ctx.db.normalizeId("links", args.linkId);
    const link = linkId && (await ctx.db.get(linkId));
    const links = linkId === undefined ? await ctx.db.query("links").take(REVOKED_AT_ONCE) : link ? [link] : [];
    for (const each of links) {
      await deleteLink(ctx, each);
      const origin = { actor: "operator" as const, userId: each.createdBy };
      await recordAuditEvent(ctx, { action: "link.revoked", target: { kind: "link", id: each._id } }, origin);
    }
    return links.length;
  },
});

/** Returns the seconds to wait at the limit of a key, otherwise 0. */
export const countAttempt = serverMutation({
  args: attempts,
  returns: v.number(),
  handler: (ctx, args) => countAttempts(ctx, args),
});

async function managedLink(ctx: UserMutationCtx, { projectId, linkId }: ObjectType<typeof managed>): Promise<Doc<"links">> {
  const project = await projectFor(ctx, projectId, "manageLinks");
  const id = ctx.db.normalizeId("links", linkId);
  const link = id && (await ctx.db.get(id));
  if (link?.projectId !== project._id) throw notFound();
  return link;
}
