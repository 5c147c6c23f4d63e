import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { type Infer, v } from "convex/values";
import { projectFor, userQuery } from "./model/access";
import { activity } from "./model/activities/activityShape";
import { pageOf } from "./model/lists/paging";

const { ownerId: _, actorId: __, projectId: ___, fromId: ____, toId: _____, ...publicFields } = activity.fields;

const activityShape = v.object({
  ...publicFields,
  _id: v.id("activities"),
  /** Null for system actions and deleted users. */
  actor: v.union(v.object({ name: v.string(), isMe: v.boolean() }), v.null()),
});
export type Activity = Infer<typeof activityShape>;

export const list = userQuery({
  args: { projectId: v.string(), paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(activityShape),
  handler: async (ctx, { projectId, paginationOpts }) => {
    const project = await projectFor(ctx, projectId, "view");
    const result = await ctx.db
      .query("activities")
      .withIndex("by_project", (q) => q.eq("projectId", project._id))
      .order("desc")
      .paginate(pageOf(paginationOpts));

    const names = new Map<string, string | null>([["", null]]);
    for (const { actorId } of result.page) {
      if (names.has(actorId)) continue;
      const user = await ctx.db
        .query("users")
        .withIndex("id", (q) => q.eq("id", actorId))
        .unique();
      names.set(actorId, user && (user.name || user.email));
    }
    const page = result.page.map(({ _id, actorId, at, kind, thing, design, from, to, count }): Activity => {
      const name = names.get(actorId);
      const actor = typeof name === "string" ? { name, isMe: actorId === ctx.user.id } : null;
      return {
        _id,
        at,
        kind,
        thing,
        actor,
        ...(design && { design }),
        ...(from !== undefined && { from }),
        ...(to !== undefined && { to }),
        ...(count !== undefined && { count }),
      };
    });
    return { ...result, page };
  },
});
