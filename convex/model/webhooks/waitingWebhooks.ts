import { type Infer, v } from "convex/values";
import type { Doc, Id } from "../../_generated/dataModel";
import type { QueryCtx } from "../../_generated/server";

/** The webhook of a delivery that an app server is sending. */
export const runningDelivery = v.object({ owner: v.string(), webhookId: v.id("webhooks") });
export type RunningDelivery = Infer<typeof runningDelivery>;

type Ctx = Pick<QueryCtx, "db">;

/** Returns the next person whose webhooks have waiting deliveries. */
export async function nextOwner({ db }: Ctx, after: string): Promise<string | null> {
  const row = await db
    .query("webhookDeliveries")
    .withIndex("by_owner", (q) => q.gt("owner", after))
    .first();
  return row?.owner ?? null;
}

/** Yields a person's webhooks with waiting deliveries, beginning after `last`. */
export async function* waitingWebhooks({ db }: Ctx, owner: string, last: Id<"webhooks"> | undefined): AsyncGenerator<Id<"webhooks">> {
  const next = (after: Id<"webhooks"> | undefined) =>
    db
      .query("webhookDeliveries")
      .withIndex("by_owner", (q) => (after === undefined ? q.eq("owner", owner) : q.eq("owner", owner).gt("webhookId", after)))
      .first();
  for (let row = await next(last); row; row = await next(row.webhookId)) yield row.webhookId;
  if (last === undefined) return;
  for (let row = await next(undefined); row && row.webhookId <= last; row = await next(row.webhookId)) yield row.webhookId;
}

export const dueDeliveries = (
  { db }: Ctx,
  { owner, webhookId }: RunningDelivery,
  now: number,
  limit: number,
): Promise<Doc<"webhookDeliveries">[]> =>
  db
    .query("webhookDeliveries")
    .withIndex("by_owner", (q) => q.eq("owner", owner).eq("webhookId", webhookId).lte("dueAt", now))
    .take(limit);
