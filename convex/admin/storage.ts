import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { type Infer, v } from "convex/values";
import { administratorQuery } from "../model/access";
import { peopleIn, personShape } from "../model/admin/shownPerson";
import { pageOf } from "../model/lists/paging";
import { userOf } from "../model/members";

const accountUsage = v.object({
  _id: v.id("usage"),
  person: personShape,
  projects: v.number(),
  designs: v.number(),
  images: v.number(),
  bytes: v.number(),
  quotaBytes: v.union(v.number(), v.null()),
});
export type AccountUsage = Infer<typeof accountUsage>;

export const people = administratorQuery({
  args: { paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(accountUsage),
  handler: async (ctx, { paginationOpts }) => {
    const result = await ctx.db.query("usage").withIndex("by_bytes").order("desc").paginate(pageOf(paginationOpts));
    const page = result.page.map(async ({ _id, ownerId, projects, designs, images, bytes }) => {
      const user = await userOf(ctx, ownerId);
      const person = { id: ownerId, name: user?.name ?? "", email: user?.email ?? null };
      return { _id, person, projects, designs, images, bytes, quotaBytes: user?.quotaBytes ?? null };
    });
    return { ...result, page: await Promise.all(page) };
  },
});

const LARGEST = 20;

const largeProject = v.object({
  _id: v.id("projects"),
  owner: personShape,
  designs: v.number(),
  images: v.number(),
  bytes: v.number(),
  createdAt: v.number(),
  isTrashed: v.boolean(),
});
export type LargeProject = Infer<typeof largeProject>;

/** Returns the projects with the most bytes, outside the trash inside them. */
export const projects = administratorQuery({
  args: {},
  returns: v.array(largeProject),
  handler: async (ctx) => {
    const rows = await ctx.db.query("projects").withIndex("by_bytes").order("desc").take(LARGEST);
    const find = peopleIn(ctx);
    return Promise.all(
      rows.map(async ({ _id, _creationTime, ownerId, designCount, imageCount, bytes = 0, removedAt }) => ({
        _id,
        owner: (await find(ownerId)) ?? { id: ownerId, name: "", email: null },
        designs: designCount,
        images: imageCount,
        bytes,
        createdAt: _creationTime,
        isTrashed: removedAt !== undefined,
      })),
    );
  },
});
