import { v } from "convex/values";
import { internal } from "../_generated/api";
import { internalMutation } from "../model/functions";
import { remainingPathOf } from "../model/access";

/** A row has at most 50 changes, each of which reads up to three rows. */
const BATCH = 10;

const MEMBERS = 100;

export const forgetInProject = internalMutation({
  args: { projectId: v.id("projects"), cursor: v.union(v.string(), v.null()) },
  returns: v.null(),
  handler: async (ctx, { projectId, cursor }) => {
    const { page, isDone, continueCursor } = await ctx.db
      .query("projectMembers")
      .withIndex("by_project", (q) => q.eq("projectId", projectId))
      .paginate({ cursor, numItems: MEMBERS });
    for (const { userId } of page) await ctx.scheduler.runAfter(0, internal.jobs.undoSteps.forget, { userId, cursor: null });
    if (!isDone) await ctx.scheduler.runAfter(0, internal.jobs.undoSteps.forgetInProject, { projectId, cursor: continueCursor });
    return null;
  },
});

export const forget = internalMutation({
  args: { userId: v.string(), cursor: v.union(v.string(), v.null()) },
  returns: v.null(),
  handler: async (ctx, { userId, cursor }) => {
    const { page, isDone, continueCursor } = await ctx.db
      .query("undoSteps")
      .withIndex("by_user", (q) => q.eq("userId", userId))
      .paginate({ cursor, numItems: BATCH });
    for (const { _id, changes } of page) {
      const paths = await Promise.all(changes.map(({ id }) => remainingPathOf(ctx, id)));
      if (paths.every((path) => path === null)) await ctx.db.delete(_id);
      else if (paths.includes(null)) await ctx.db.patch(_id, { changes: changes.filter((_, index) => paths[index] !== null) });
    }
    if (!isDone) await ctx.scheduler.runAfter(0, internal.jobs.undoSteps.forget, { userId, cursor: continueCursor });
    return null;
  },
});
