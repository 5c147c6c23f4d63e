import { paginationOptsValidator } from "convex/server";
import { v } from "convex/values";
import { unpurgedFor, serverQueryFor } from "../model/access";
import { filteredEvents, ownEvents, toAuditEntry } from "../model/audit/ownEvents";
import { notFound } from "../model/errors";
import { visitsOf } from "../model/links/links";
import { pageOf } from "../model/lists/paging";
import { VERSIONS_MAX } from "../model/rules";
import { exported, rows, toExportedRow } from "./belongings";

/** For `/account/export`: includes the trash, older versions and history, but not items being purged. */

const DELIVERIES_EXPORTED = 100;

const paged = { paginationOpts: paginationOptsValidator };

export const projects = serverQueryFor({
  args: paged,
  returns: rows,
  handler: async ({ db, user }, { paginationOpts }) =>
    exported(pageOf(paginationOpts), (options) =>
      db
        .query("projects")
        .withIndex("by_trash", (q) => q.eq("ownerId", user.id).eq("purgingSince", undefined))
        .paginate(options),
    ),
});

export const designs = serverQueryFor({
  args: { ...paged, projectId: v.string() },
  returns: rows,
  handler: async (ctx, { paginationOpts, projectId }) => {
    const { project } = await unpurgedFor(ctx, projectId, "project", "export");
    return exported(pageOf(paginationOpts), (options) =>
      ctx.db
        .query("designs")
        .withIndex("by_project", (q) => q.eq("projectId", project._id))
        .paginate(options),
    );
  },
});

export const images = serverQueryFor({
  args: { ...paged, designId: v.string() },
  returns: rows,
  handler: async (ctx, { paginationOpts, designId }) => {
    const { design } = await unpurgedFor(ctx, designId, "design", "export");
    return exported(pageOf(paginationOpts), (options) =>
      ctx.db
        .query("designImages")
        .withIndex("by_design", (q) => q.eq("designId", design._id))
        .paginate(options),
    );
  },
});

export const versions = serverQueryFor({
  args: { imageId: v.string() },
  returns: v.array(v.any()),
  handler: async (ctx, { imageId }) => {
    const { image } = await unpurgedFor(ctx, imageId, "image", "export");
    const found = await ctx.db
      .query("imageVersions")
      .withIndex("by_image", (q) => q.eq("imageId", image._id))
      .take(VERSIONS_MAX);
    return found.map((row) => Object.assign(toExportedRow(row), { current: row._id === image.versionId }));
  },
});

export const activities = serverQueryFor({
  args: paged,
  returns: rows,
  handler: async ({ db, user }, { paginationOpts }) =>
    exported(pageOf(paginationOpts), (options) =>
      db
        .query("activities")
        .withIndex("by_owner", (q) => q.eq("ownerId", user.id))
        .paginate(options),
    ),
});

export const favourites = serverQueryFor({
  args: paged,
  returns: rows,
  handler: async ({ db, user }, { paginationOpts }) => {
    const { page, isDone, continueCursor } = await db
      .query("favourites")
      .withIndex("by_user", (q) => q.eq("userId", user.id))
      .paginate(pageOf(paginationOpts));
    return { page: page.map(({ _id: id, itemId, favouriteAt }) => ({ id, itemId, favouriteAt })), isDone, continueCursor };
  },
});

export const comments = serverQueryFor({
  args: paged,
  returns: rows,
  handler: async ({ db, user }, { paginationOpts }) => {
    const { page, isDone, continueCursor } = await db
      .query("comments")
      .withIndex("by_author", (q) => q.eq("authorId", user.id))
      .paginate(pageOf(paginationOpts));
    const shown = page.map(async ({ _id: id, threadId, isReply, text, createdAt, editedAt, linkId, imageIds = [] }) => {
      const itemId = (await db.get(threadId))?.itemId;
      const images = (await Promise.all(imageIds.map((each) => db.get(each)))).filter((image) => image !== null);
      const optional = { ...(editedAt !== undefined && { editedAt }), ...(linkId !== undefined && { linkId }) };
      const shown = images.map(({ _id, name, contentType }) => ({ id: _id, name, contentType }));
      return { id, threadId, itemId, isReply, text, createdAt, ...optional, ...(shown.length > 0 && { images: shown }) };
    });
    return { page: await Promise.all(shown), isDone, continueCursor };
  },
});

export const reactions = serverQueryFor({
  args: paged,
  returns: rows,
  handler: async ({ db, user }, { paginationOpts }) => {
    const { page, isDone, continueCursor } = await db
      .query("commentReactions")
      .withIndex("by_user", (q) => q.eq("userId", user.id))
      .paginate(pageOf(paginationOpts));
    const shown = page.map(({ commentId, emoji, _creationTime: createdAt }) => ({ commentId, emoji, createdAt }));
    return { page: shown, isDone, continueCursor };
  },
});

export const links = serverQueryFor({
  args: paged,
  returns: rows,
  handler: async (ctx, { paginationOpts }) => {
    const { page, isDone, continueCursor } = await ctx.db
      .query("links")
      .withIndex("by_creator", (q) => q.eq("createdBy", ctx.user.id))
      .paginate(pageOf(paginationOpts));
    const shown = page.map(async ({ _id: id, itemId, kind, name, downloads, expiresAt, createdAt, passwordHash }) => {
      const { visits = 0, lastUsedAt } = (await visitsOf(ctx, id)) ?? {};
      const times = { createdAt, ...(expiresAt !== undefined && { expiresAt }), ...(lastUsedAt !== undefined && { lastUsedAt }) };
      return { id, itemId, kind, name, downloads, hasPassword: passwordHash !== undefined, visits, ...times };
    });
    return { page: await Promise.all(shown), isDone, continueCursor };
  },
});

export const accessTokens = serverQueryFor({
  args: paged,
  returns: rows,
  handler: async ({ db, user }, { paginationOpts }) => {
    const { page, isDone, continueCursor } = await db
      .query("accessTokens")
      .withIndex("by_user", (q) => q.eq("userId", user.id))
      .paginate(pageOf(paginationOpts));
    const shown = page.map(({ _id: id, name, scopes, createdAt, expiresAt, lastUsedAt }) => {
      const times = { createdAt, ...(expiresAt !== undefined && { expiresAt }), ...(lastUsedAt !== undefined && { lastUsedAt }) };
      return { id, name, scopes, ...times };
    });
    return { page: shown, isDone, continueCursor };
  },
});

export const webhooks = serverQueryFor({
  args: paged,
  returns: rows,
  handler: async ({ db, user }, { paginationOpts }) => {
    const { page, isDone, continueCursor } = await db
      .query("webhooks")
      .withIndex("by_creator", (q) => q.eq("createdBy", user.id))
      .paginate(pageOf(paginationOpts));
    const shown = page.map(async ({ _id: id, projectId, url, events, createdAt }) => {
      const deliveries = await db
        .query("webhookDeliveries")
        .withIndex("by_webhook", (q) => q.eq("webhookId", id))
        .order("desc")
        .take(DELIVERIES_EXPORTED);
      const log = deliveries.map(({ event, createdAt, attempts, isDelivered = false }) => ({ event, createdAt, attempts, isDelivered }));
      return { id, projectId, url, events, createdAt, deliveries: log };
    });
    return { page: await Promise.all(shown), isDone, continueCursor };
  },
});

export const savedLinks = serverQueryFor({
  args: paged,
  returns: rows,
  handler: async ({ db, user }, { paginationOpts }) => {
    const { page, isDone, continueCursor } = await db
      .query("savedLinks")
      .withIndex("by_user", (q) => q.eq("userId", user.id))
      .paginate(pageOf(paginationOpts));
    return { page: page.map(({ _id: id, linkId, savedAt }) => ({ id, linkId, savedAt })), isDone, continueCursor };
  },
});

export const auditEvents = serverQueryFor({
  args: { ...paged, ...filteredEvents },
  returns: rows,
  handler: async ({ db, user }, { paginationOpts, ...filter }) => {
    const { page, isDone, continueCursor } = await ownEvents(db, user.id, filter).paginate(pageOf(paginationOpts));
    return { page: page.map((row) => ({ id: row._id, ...toAuditEntry(row) })), isDone, continueCursor };
  },
});

export const transfers = serverQueryFor({
  args: {},
  returns: v.array(
    v.object({ projectId: v.id("projects"), fromId: v.string(), toId: v.string(), state: v.string(), createdAt: v.number() }),
  ),
  handler: async ({ db, user }) => {
    const offered = await db
      .query("transfers")
      .withIndex("by_sender", (q) => q.eq("fromId", user.id))
      .take(TRANSFERS_MAX);
    const received = await db
      .query("transfers")
      .withIndex("by_recipient", (q) => q.eq("toId", user.id))
      .take(TRANSFERS_MAX);
    return [...offered, ...received].map(({ projectId, fromId, toId, state, createdAt }) => ({
      projectId,
      fromId,
      toId,
      state,
      createdAt,
    }));
  },
});

const TRANSFERS_MAX = 1000;

export const commentFile = serverQueryFor({
  args: { imageId: v.string() },
  returns: v.string(),
  handler: async (ctx, args) => {
    const id = ctx.db.normalizeId("commentImages", args.imageId);
    const image = id && (await ctx.db.get(id));
    const url = image?.authorId === ctx.user.id ? await ctx.storage.getUrl(image.storageId) : null;
    if (!url) throw notFound();
    return url;
  },
});

export const file = serverQueryFor({
  args: { imageId: v.string(), versionId: v.optional(v.string()) },
  returns: v.string(),
  handler: async (ctx, args) => {
    const { image } = await unpurgedFor(ctx, args.imageId, "image", "export");
    const versionId = args.versionId === undefined ? null : ctx.db.normalizeId("imageVersions", args.versionId);
    const version = versionId && (await ctx.db.get(versionId));
    if (args.versionId !== undefined && version?.imageId !== image._id) throw notFound();
    const url = await ctx.storage.getUrl((version ?? image).storageId);
    if (!url) throw notFound();
    return url;
  },
});
