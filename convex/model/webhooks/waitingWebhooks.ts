import { type Infer, v } from "convex/values";
import type { Doc, Id } from "../../_generated/dataModel";
import type { QueryCtx } from "../../_generated/server";

export const runningDelivery = v.object({ owner: v.string(), webhookId: v.id("webhooks") });
export type RunningDelivery = Infer<typeof runningDelivery>;

type Ctx = Pick<QueryCtx, "db">;

/** A visit of one person's webhooks. A continued visit begins after the webhook `last`; without `last`, at the first webhook. */
type Visit = { owner: string; last?: Id<"webhooks"> | undefined; isContinued: boolean };

const SEPARATOR = "/";

/** Returns the position for `continueVisit` within a person's webhooks. The position after all of them is the person's id. */
export const continuedAfter = (owner: string, last: Id<"webhooks"> | undefined): string => owner + SEPARATOR + (last ?? "");

export async function continueVisit(ctx: Ctx, position: string | null): Promise<Visit | null> {
  const [owner = "", last] = position?.split(SEPARATOR) ?? [];
  if (last === undefined) return visitAfter(ctx, owner);
  return { owner, last: ctx.db.normalizeId("webhooks", last) ?? undefined, isContinued: true };
}

export async function visitAfter(ctx: Ctx, owner: string): Promise<Visit | null> {
  const next = await nextOwner(ctx, owner);
  return next === null ? null : { owner: next, isContinued: false };
}

async function nextOwner({ db }: Ctx, after: string): Promise<string | null> {
  const row = await db
    .query("webhookDeliveries")
    .withIndex("by_owner", (q) => q.gt("owner", after))
    .first();
  return row?.owner ?? null;
}

export async function* waitingWebhooks(ctx: Ctx, owner: string, last: Id<"webhooks"> | undefined): AsyncGenerator<Id<"webhooks">> {
  yield* laterWebhooks(ctx, { owner, last });
  if (last === undefined) return;
  for await (const webhookId of laterWebhooks(ctx, { owner })) {
    if (webhookId > last) return;
    yield webhookId;
  }
}

export async function* laterWebhooks({ db }: Ctx, { owner, last }: Pick<Visit, "owner" | "last">): AsyncGenerator<Id<"webhooks">> {
  const next = (after: Id<"webhooks"> | undefined) =>
    db
      .query("webhookDeliveries")
      .withIndex("by_owner", (q) => (after === undefined ? q.eq("owner", owner) : q.eq("owner", owner).gt("webhookId", after)))
      .first();
  for (let row = await next(last); row; row = await next(row.webhookId)) yield row.webhookId;
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
