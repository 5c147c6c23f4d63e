import { type Infer, v } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import type { MutationCtx } from "./_generated/server";
import { type CallerCtx, projectFor, serverMutation, serverMutationFor, serverQuery, userMutation, userQuery } from "./model/access";
import { invalid, limit, notFound } from "./model/errors";
import { eventFields, webhookEvent } from "./model/webhooks/webhookTables";
import { deleteWebhook, WEBHOOKS_MAX, webhooksOf } from "./model/webhooks/webhooks";

/** Webhooks of a project. The app server creates the keys and sends the events, because functions cannot connect to other servers. */

const URL_MAX = 2000;
const DELIVERIES_SHOWN = 20;

const deliveryShape = v.object({
  _id: v.id("webhookDeliveries"),
  event: v.union(webhookEvent, v.literal("test")),
  createdAt: v.number(),
  attempts: v.number(),
  state: v.union(v.literal("waiting"), v.literal("delivered"), v.literal("failed")),
  /** Time of the next attempt (milliseconds since 1970). */
  dueAt: v.union(v.number(), v.null()),
  status: v.union(v.number(), v.null()),
  problem: v.union(v.string(), v.null()),
});
const webhookShape = v.object({
  _id: v.id("webhooks"),
  url: v.string(),
  events: v.array(webhookEvent),
  createdAt: v.number(),
  deliveries: v.array(deliveryShape),
});

const managed = { projectId: v.string(), webhookId: v.string() };

/** Throws "invalid" for a bad address or no events, and "limit" above `WEBHOOKS_MAX` webhooks. */
export const create = serverMutationFor({
  args: { projectId: v.string(), url: v.string(), sealedSecret: v.string(), events: v.array(webhookEvent) },
  returns: v.id("webhooks"),
  handler: async (ctx, { projectId, url, sealedSecret, events }) => {
    const project = await projectFor(ctx, projectId, "manageWebhooks");
    if (!url.startsWith("https://") || url.length > URL_MAX) throw invalid({ url: ["Enter an address that begins with https://."] });
    if (events.length === 0) throw invalid({ events: ["Choose at least one event."] });
    const webhooks = await webhooksOf(ctx, project._id);
    if (webhooks.length >= WEBHOOKS_MAX) throw limit(`A project can have at most ${WEBHOOKS_MAX} webhooks. Delete one first.`);
    if (project.hasWebhooks !== true) await ctx.db.patch(project._id, { hasWebhooks: true });
    const unique = [...new Set(events)];
    return ctx.db.insert("webhooks", {
      projectId: project._id,
      url,
      sealedSecret,
      events: unique,
      createdBy: ctx.user.id,
      createdAt: Date.now(),
    });
  },
});

/** Deletes the webhook with its log. Deliveries under way may still arrive. */
export const remove = userMutation({
  args: managed,
  returns: v.null(),
  handler: async (ctx, args) => {
    const { webhook, project } = await managedWebhook(ctx, args);
    await deleteWebhook(ctx, webhook);
    if ((await webhooksOf(ctx, project._id)).length === 0) await ctx.db.patch(project._id, { hasWebhooks: undefined });
    return null;
  },
});

export const sendTest = userMutation({
  args: managed,
  returns: v.null(),
  handler: async (ctx, args) => {
    const { webhook } = await managedWebhook(ctx, args);
    const now = Date.now();
    await ctx.db.insert("webhookDeliveries", {
      webhookId: webhook._id,
      event: "test",
      items: [],
      createdAt: now,
      dueAt: now,
      attempts: 0,
    });
    return null;
  },
});

export const list = userQuery({
  args: { projectId: v.string() },
  returns: v.array(webhookShape),
  handler: async (ctx, { projectId }) => {
    const project = await projectFor(ctx, projectId, "manageWebhooks");
    const webhooks = await webhooksOf(ctx, project._id);
    return Promise.all(
      webhooks.map(async ({ _id, url, events, createdAt }) => {
        const deliveries = await ctx.db
          .query("webhookDeliveries")
          .withIndex("by_webhook", (q) => q.eq("webhookId", _id))
          .order("desc")
          .take(DELIVERIES_SHOWN);
        return { _id, url, events, createdAt, deliveries: deliveries.map(toDelivery) };
      }),
    );
  },
});

/** Subtracts the running attempt, which a leased delivery already counts. */
function toDelivery({ _id, event, createdAt, lease, dueAt, isDelivered, status, problem, ...row }: Doc<"webhookDeliveries">) {
  const attempts = lease === undefined ? row.attempts : row.attempts - 1;
  const state: Infer<typeof deliveryShape>["state"] = dueAt !== undefined ? "waiting" : isDelivered === true ? "delivered" : "failed";
  return { _id, event, createdAt, attempts, state, dueAt: dueAt ?? null, status: status ?? null, problem: problem ?? null };
}

async function managedWebhook(ctx: CallerCtx, { projectId, webhookId }: { projectId: string; webhookId: string }) {
  const project = await projectFor(ctx, projectId, "manageWebhooks");
  const id = ctx.db.normalizeId("webhooks", webhookId);
  const webhook = id && (await ctx.db.get(id));
  if (webhook?.projectId !== project._id) throw notFound();
  return { project, webhook };
}

/** Returns when the next delivery is due. Workers subscribe to it, so an idle queue costs nothing. */
export const due = serverQuery({
  args: {},
  returns: v.union(v.number(), v.null()),
  handler: async ({ db }) => {
    const next = await db
      .query("webhookDeliveries")
      .withIndex("by_due", (q) => q.gt("dueAt", 0))
      .first();
    return next?.dueAt ?? null;
  },
});

const claimedShape = v.object({
  id: v.id("webhookDeliveries"),
  attempts: v.number(),
  url: v.string(),
  sealedSecret: v.string(),
  event: deliveryShape.fields.event,
  createdAt: v.number(),
  projectId: v.id("projects"),
  ...eventFields,
});

/** Leases due deliveries, so that one app server sends each. A delivery not reported within `leaseMs` is due again. */
export const claim = serverMutation({
  args: { lease: v.string(), leaseMs: v.number(), limit: v.number() },
  returns: v.array(claimedShape),
  handler: async (ctx, { lease, leaseMs, limit }) => {
    const now = Date.now();
    const rows = await ctx.db
      .query("webhookDeliveries")
      .withIndex("by_due", (q) => q.gt("dueAt", 0).lte("dueAt", now))
      .take(limit);
    const claimed = [];
    for (const row of rows) {
      const webhook = await ctx.db.get(row.webhookId);
      if (!webhook) {
        await ctx.db.delete(row._id);
        continue;
      }
      const attempts = row.attempts + 1;
      await ctx.db.patch(row._id, { lease, attempts, dueAt: now + leaseMs });
      const { url, sealedSecret, projectId } = webhook;
      const { event, createdAt, items, comment, newStatus } = row;
      const about = { items, ...(comment && { comment }), ...(newStatus !== undefined && { newStatus }) };
      claimed.push({ id: row._id, attempts, url, sealedSecret, event, createdAt, projectId, ...about });
    }
    return claimed;
  },
});

const outcome = { id: v.id("webhookDeliveries"), lease: v.string(), status: v.optional(v.number()), problem: v.optional(v.string()) };

/** Ends a delivery, which has a `problem` when it was given up. */
export const finish = serverMutation({
  args: outcome,
  returns: v.null(),
  handler: (ctx, args) => report(ctx, args, { dueAt: undefined, finishedAt: Date.now(), isDelivered: args.problem === undefined }),
});

export const postpone = serverMutation({
  args: { ...outcome, dueAt: v.number() },
  returns: v.null(),
  handler: (ctx, { dueAt, ...args }) => report(ctx, args, { dueAt }),
});

type Outcome = { id: Doc<"webhookDeliveries">["_id"]; lease: string; status?: number | undefined; problem?: string | undefined };

async function report({ db }: MutationCtx, { id, lease, status, problem }: Outcome, changes: Partial<Doc<"webhookDeliveries">>) {
  const row = await db.get(id);
  if (row?.lease === lease) await db.patch(id, { lease: undefined, status, problem, ...changes });
  return null;
}
