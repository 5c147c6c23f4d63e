import { v } from "convex/values";
import { ifVisible, projectFor, serverMutation, userMutation, userQuery } from "./model/access";
import { NOTIFICATION_KINDS } from "./model/notifications/kinds";
import {
  changeSettings,
  chosenDeliveries,
  deliveries,
  deliveriesOf,
  muteOf,
  settingsOf,
  unmute,
  unsubscribe,
} from "./model/notifications/settings";

/** Email settings per kind of notification, and muted projects (docs/decisions/189-notifications.md). */

const MUTED_MAX = 200;

export const get = userQuery({
  args: {},
  returns: v.object({
    deliveries,
    timeZone: v.optional(v.string()),
    muted: v.array(v.object({ projectId: v.id("projects"), project: v.string() })),
  }),
  handler: async (ctx) => {
    const settings = await settingsOf(ctx, ctx.user.id);
    const mutes = await ctx.db
      .query("mutedProjects")
      .withIndex("by_user", (q) => q.eq("userId", ctx.user.id))
      .order("desc")
      .take(MUTED_MAX);
    const muted = [];
    for (const { projectId } of mutes) {
      const project = await ifVisible(projectFor(ctx, projectId, "view"));
      if (project) muted.push({ projectId, project: project.name });
    }
    return { deliveries: deliveriesOf(settings), muted, ...(settings?.timeZone !== undefined && { timeZone: settings.timeZone }) };
  },
});

export const set = userMutation({
  args: { deliveries: chosenDeliveries },
  returns: v.null(),
  handler: async (ctx, chosen) => {
    await changeSettings(ctx, ctx.user.id, chosen);
    return null;
  },
});

export const isMuted = userQuery({
  args: { projectId: v.string() },
  returns: v.boolean(),
  handler: async (ctx, { projectId }) => {
    const project = await projectFor(ctx, projectId, "view");
    return (await muteOf(ctx, project._id, ctx.user.id)) !== null;
  },
});

export const setMuted = userMutation({
  args: { projectId: v.string(), isMuted: v.boolean() },
  returns: v.null(),
  handler: async (ctx, args) => {
    const { _id: projectId } = await projectFor(ctx, args.projectId, "view");
    const userId = ctx.user.id;
    if (!args.isMuted) await unmute(ctx, projectId, userId);
    else if (!(await muteOf(ctx, projectId, userId))) await ctx.db.insert("mutedProjects", { userId, projectId });
    return null;
  },
});

/** Unsubscribes from a kind of email or from the digest by the signed link in an email, without a session. */
export const end = serverMutation({
  args: {
    userId: v.string(),
    from: v.union(v.literal("digest"), ...NOTIFICATION_KINDS.map((kind) => v.literal(kind))),
  },
  returns: v.null(),
  handler: async (ctx, { userId, from }) => {
    if (
      await ctx.db
        .query("users")
        .withIndex("id", (q) => q.eq("id", userId))
        .unique()
    )
      await unsubscribe(ctx, userId, from);
    return null;
  },
});
