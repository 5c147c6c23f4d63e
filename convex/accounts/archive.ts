import { paginationOptsValidator } from "convex/server";
import { v } from "convex/values";
import { keptFor, serverQueryFor } from "../access";
import { notFound } from "../errors";
import { pageOf } from "../paging";
import { VERSIONS_MAX } from "../rules";
import { exported, rows, told } from "./belongings";

/**
 * What somebody has made, all of it: also what lies in their trash, older versions, and the history. For the archive that they take with them
 * (`/account/export`); for the app server alone, page by page. What is being deleted for ever is theirs no more.
 */

const paged = { paginationOpts: paginationOptsValidator };

/** A page of their projects. `removedAt`: in the trash since then. */
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

/** A page of a project's designs. Throws "not_found". */
export const designs = serverQueryFor({
  args: { ...paged, projectId: v.string() },
  returns: rows,
  handler: async (ctx, { paginationOpts, projectId }) => {
    const { project } = await keptFor(ctx, projectId, "project");
    return exported(pageOf(paginationOpts), (options) =>
      ctx.db
        .query("designs")
        .withIndex("by_project", (q) => q.eq("projectId", project._id))
        .paginate(options),
    );
  },
});

/** A page of a design's images. Throws "not_found". */
export const images = serverQueryFor({
  args: { ...paged, designId: v.string() },
  returns: rows,
  handler: async (ctx, { paginationOpts, designId }) => {
    const { design } = await keptFor(ctx, designId, "design");
    return exported(pageOf(paginationOpts), (options) =>
      ctx.db
        .query("designImages")
        .withIndex("by_design", (q) => q.eq("designId", design._id))
        .paginate(options),
    );
  },
});

/** The versions of an image, the oldest first; none where there has been only one. `current`: the image's own. Throws "not_found". */
export const versions = serverQueryFor({
  args: { imageId: v.string() },
  returns: v.array(v.any()),
  handler: async (ctx, { imageId }) => {
    const { image } = await keptFor(ctx, imageId, "image");
    const found = await ctx.db
      .query("imageVersions")
      .withIndex("by_image", (q) => q.eq("imageId", image._id))
      .take(VERSIONS_MAX);
    return found.map((row) => Object.assign(told(row), { current: row._id === image.versionId }));
  },
});

/** A page of what happened in their projects, the oldest first. */
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

/** Where the bytes of an image, or of one of its versions, are had. Throws "not_found". */
export const file = serverQueryFor({
  args: { imageId: v.string(), versionId: v.optional(v.string()) },
  returns: v.string(),
  handler: async (ctx, args) => {
    const { image } = await keptFor(ctx, args.imageId, "image");
    const versionId = args.versionId === undefined ? null : ctx.db.normalizeId("imageVersions", args.versionId);
    const version = versionId && (await ctx.db.get(versionId));
    if (args.versionId !== undefined && version?.imageId !== image._id) throw notFound();
    const url = await ctx.storage.getUrl((version ?? image).storageId);
    if (!url) throw notFound();
    return url;
  },
});
