import { defineTable } from "convex/server";
import { type Infer, v } from "convex/values";
import type { Doc, Id } from "../../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../../_generated/server";
import { DEFAULT_DELIVERIES, type Delivery, NOTIFICATION_KINDS, type NotificationKind } from "./kinds";

type Db = Pick<QueryCtx, "db">;
type Settings = Doc<"notificationSettings">;

const delivery = v.union(v.literal("now"), v.literal("daily"), v.literal("never"));
export const deliveries = v.object({
  mention: delivery,
  reply: delivery,
  comment: delivery,
  reviewRequested: delivery,
  reviewGiven: delivery,
  invitation: delivery,
  accessChanged: delivery,
});
export const chosenDeliveries = deliveries.partial();
export type Deliveries = Infer<typeof deliveries>;

export const notificationTables = {
  notificationSettings: defineTable({
    userId: v.string(),
    deliveries: chosenDeliveries,
    /** IANA name and BCP 47 tag of the last browser, for times in emails and for the digest. */
    timeZone: v.optional(v.string()),
    locale: v.optional(v.string()),
  }).index("by_user", ["userId"]),

  mutedProjects: defineTable({ userId: v.string(), projectId: v.id("projects") })
    .index("by_project", ["projectId", "userId"])
    .index("by_user", ["userId"]),
};

export const settingsOf = ({ db }: Db, userId: string): Promise<Settings | null> =>
  db
    .query("notificationSettings")
    .withIndex("by_user", (q) => q.eq("userId", userId))
    .unique();

export const deliveryOf = (settings: Settings | null, kind: NotificationKind): Delivery =>
  settings?.deliveries[kind] ?? DEFAULT_DELIVERIES[kind];

export const deliveriesOf = (settings: Settings | null): Deliveries => ({ ...DEFAULT_DELIVERIES, ...settings?.deliveries });

export async function changeSettings(
  ctx: MutationCtx,
  userId: string,
  { deliveries: chosen = {}, ...place }: Partial<Pick<Settings, "deliveries" | "timeZone" | "locale">>,
): Promise<void> {
  const settings = await settingsOf(ctx, userId);
  const next = { deliveries: { ...settings?.deliveries, ...chosen }, ...place };
  if (settings) await ctx.db.patch(settings._id, next);
  else await ctx.db.insert("notificationSettings", { userId, ...next });
}

export async function unsubscribe(ctx: MutationCtx, userId: string, from: NotificationKind | "digest"): Promise<void> {
  const settings = await settingsOf(ctx, userId);
  const ended = from === "digest" ? NOTIFICATION_KINDS.filter((kind) => deliveryOf(settings, kind) === "daily") : [from];
  await changeSettings(ctx, userId, { deliveries: Object.fromEntries(ended.map((kind) => [kind, "never"])) });
}

export const muteOf = ({ db }: Db, projectId: Id<"projects">, userId: string): Promise<Doc<"mutedProjects"> | null> =>
  db
    .query("mutedProjects")
    .withIndex("by_project", (q) => q.eq("projectId", projectId).eq("userId", userId))
    .unique();

export async function unmute(ctx: MutationCtx, projectId: Id<"projects">, userId: string): Promise<void> {
  const mute = await muteOf(ctx, projectId, userId);
  if (mute) await ctx.db.delete(mute._id);
}

export async function deleteMutes({ db }: MutationCtx, projectId: Id<"projects">, limit: number): Promise<number> {
  const rows = await db
    .query("mutedProjects")
    .withIndex("by_project", (q) => q.eq("projectId", projectId))
    .take(limit);
  for (const { _id } of rows) await db.delete(_id);
  return rows.length;
}
