import type { Doc, Id } from "../../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../../_generated/server";
import type { ObjectType } from "convex/values";
import type { eventFields, WebhookEvent } from "./webhookTables";

export const WEBHOOKS_MAX = 10;

export const webhooksOf = ({ db }: Pick<QueryCtx, "db">, projectId: Id<"projects">): Promise<Doc<"webhooks">[]> =>
  db
    .query("webhooks")
    .withIndex("by_project", (q) => q.eq("projectId", projectId))
    .take(WEBHOOKS_MAX);

type Event = ObjectType<typeof eventFields> & { event: WebhookEvent };

/** Queues a delivery to each webhook of the project that subscribes to the event. Reads nothing in a project without webhooks. */
export async function queueDeliveries({ db }: MutationCtx, { _id, hasWebhooks }: Doc<"projects">, event: Event): Promise<void> {
  if (hasWebhooks !== true) return;
  const webhooks = await webhooksOf({ db }, _id);
  const now = Date.now();
  for (const webhook of webhooks) if (webhook.events.includes(event.event)) await queueDelivery({ db }, webhook, event, now);
}

export async function queueDelivery(
  { db }: Pick<MutationCtx, "db">,
  { _id: webhookId, createdBy: owner }: Doc<"webhooks">,
  event: ObjectType<typeof eventFields> & { event: WebhookEvent | "test" },
  now: number,
): Promise<void> {
  await db.insert("webhookDeliveries", { ...event, webhookId, owner, createdAt: now, dueAt: now, attempts: 0 });
}

const DELIVERIES_AT_ONCE = 200;

export async function deleteWebhook({ db }: MutationCtx, { _id }: Doc<"webhooks">): Promise<number> {
  const deliveries = await db
    .query("webhookDeliveries")
    .withIndex("by_webhook", (q) => q.eq("webhookId", _id))
    .take(DELIVERIES_AT_ONCE);
  for (const delivery of deliveries) await db.delete(delivery._id);
  await db.delete(_id);
  return deliveries.length + 1;
}

/** Deletes the webhooks of a transferred project, because the former owner has their keys. */
export async function deleteWebhooksOf(ctx: MutationCtx, { _id, hasWebhooks }: Doc<"projects">): Promise<void> {
  if (hasWebhooks !== true) return;
  const webhooks = await webhooksOf(ctx, _id);
  for (const webhook of webhooks) await deleteWebhook(ctx, webhook);
}
