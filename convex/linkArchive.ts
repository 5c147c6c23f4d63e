import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import { designFor, projectFor, serverQueryForLink } from "./model/access";
import { pageOf } from "./model/lists/paging";

const paged = { paginationOpts: paginationOptsValidator };
const rows = paginationResultValidator(v.object({ id: v.string(), name: v.string(), createdAt: v.number() }));
type Named = { _id: string; _creationTime: number; name: string };

const toRow = ({ _id: id, _creationTime: createdAt, name }: Named) => ({ id, name, createdAt });

export const designs = serverQueryForLink({
  args: { projectId: v.string(), ...paged },
  returns: rows,
  handler: async (ctx, { projectId, paginationOpts }) => {
    const project = await projectFor(ctx, projectId, "download");
    const result = await ctx.db
      .query("designs")
      .withIndex("by_project", (q) => q.eq("projectId", project._id).eq("removedAt", undefined))
      .paginate(pageOf(paginationOpts));
    return { ...result, page: result.page.map(toRow) };
  },
});

export const images = serverQueryForLink({
  args: { designId: v.string(), ...paged },
  returns: rows,
  handler: async (ctx, { designId, paginationOpts }) => {
    const { design } = await designFor(ctx, designId, "download");
    const result = await ctx.db
      .query("designImages")
      .withIndex("by_order", (q) => q.eq("designId", design._id).eq("removedAt", undefined))
      .paginate(pageOf(paginationOpts));
    return { ...result, page: result.page.map(toRow) };
  },
});
