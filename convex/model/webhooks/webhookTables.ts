import { defineTable } from "convex/server";
import { type Infer, v } from "convex/values";

export const webhookEvent = v.union(v.literal("image.created"), v.literal("comment.created"), v.literal("status.changed"));
export type WebhookEvent = Infer<typeof webhookEvent>;

export const eventFields = {
  items: v.array(v.object({ designId: v.string(), imageId: v.optional(v.string()) })),
  comment: v.optional(v.object({ threadId: v.string(), commentId: v.string() })),
  newStatus: v.optional(v.string()),
};

export const webhookTables = {
  webhooks: defineTable({
    projectId: v.id("projects"),
    url: v.string(),
    sealedSecret: v.string(),
    events: v.array(webhookEvent),
    createdBy: v.string(),
    createdAt: v.number(),
  })
    .index("by_project", ["projectId", "createdAt"])
    .index("by_creator", ["createdBy", "createdAt"]),

  webhookDeliveries: defineTable({
    webhookId: v.id("webhooks"),
    event: v.union(webhookEvent, v.literal("test")),
    ...eventFields,
    createdAt: v.number(),
    attempts: v.number(),
    /** Absent after success or the last attempt. */
    dueAt: v.optional(v.number()),
    /** The creator of the webhook. Set only with `dueAt`, so that each person gets a share of the queue. */
    owner: v.optional(v.string()),
    lease: v.optional(v.string()),
    finishedAt: v.optional(v.number()),
    isDelivered: v.optional(v.boolean()),
    status: v.optional(v.number()),
    problem: v.optional(v.string()),
  })
    .index("by_due", ["dueAt"])
    .index("by_owner", ["owner", "webhookId", "dueAt"])
    .index("by_webhook", ["webhookId", "createdAt"])
    .index("by_age", ["createdAt"]),
};
