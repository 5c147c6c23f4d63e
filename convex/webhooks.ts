import { type Infer, v } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import type { MutationCtx } from "./_generated/server";
import { type CallerCtx, projectFor, serverMutation, serverMutationFor, serverQuery, userMutation, userQuery } from "./model/access";
import { recordAuditEvent } from "./model/audit/recordAuditEvent";
import { invalid, limit, notFound } from "./model/errors";
import { countAttempts } from "./model/limits/attempts";
import {
  continuedAfter,
  continueVisit,
  dueDeliveries,
  laterWebhooks,
  runningDelivery,
  visitAfter,
  waitingWebhooks,
} from "./model/webhooks/waitingWebhooks";
import { eventFields, webhookEvent } from "./model/webhooks/webhookTables";
import { deleteWebhook, queueDelivery, WEBHOOKS_MAX, webhooksOf } from "./model/webhooks/webhooks";

/** Webhooks of a project. The app server creates the keys and sends the events, because functions cannot connect to other servers. */

const URL_MAX = 2000;
const DELIVERIES_SHOWN = 20;
const TESTS_PER_MINUTE = 10;

const deliveryShape = v.object({
  _id: v.id("webhookDeliveries"),
  event: v.union(webhookEvent, v.literal("test")),
  createdAt: v.number(),
  attempts: v.number(),
  state: v.union(v.literal("waiting"), v.literal("delivered"), v.literal("failed")),
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
    const id = await ctx.db.insert("webhooks", {
      projectId: project._id,
      url,
      sealedSecret,
      events: unique,
      createdBy: ctx.user.id,
      createdAt: Date.now(),
    });
    await recordAuditEvent(ctx, { action: "webhook.created", target: { kind: "webhook", id } });
    return id;
  },
});

export const remove = userMutation({
  args: managed,
  returns: v.null(),
  handler: async (ctx, args) => {
    const { webhook, project } = await managedWebhook(ctx, args);
    await deleteWebhook(ctx, webhook);
    await recordAuditEvent(ctx, { action: "webhook.removed", target: { kind: "webhook", id: webhook._id } });
    if ((await webhooksOf(ctx, project._id)).length === 0) await ctx.db.patch(project._id, { hasWebhooks: undefined });
    return null;
  },
});

/** Throws "limit" above `TESTS_PER_MINUTE` tests of one person. */
export const sendTest = userMutation({
  args: managed,
  returns: v.null(),
  handler: async (ctx, args) => {
    const { webhook } = await managedWebhook(ctx, args);
    const limits = [{ key: `webhook test ${ctx.user.id}`, most: TESTS_PER_MINUTE }];
    if ((await countAttempts(ctx, { limits, seconds: 60 })) > 0) throw limit("Too many tests. Try again in a minute.");
    await queueDelivery(ctx, webhook, { event: "test", items: [] }, Date.now());
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
  ...runningDelivery.fields,
  attempts: v.number(),
  url: v.string(),
  sealedSecret: v.string(),
  event: deliveryShape.fields.event,
  createdAt: v.number(),
  projectId: v.id("projects"),
  ...eventFields,
});
type Claimed = Infer<typeof claimedShape>;

const VISITED = 50;
const PER_OWNER = 10;
const PER_WEBHOOK = 5;

/** For app servers of the previous version. See `claimDue`. */
export const claim = serverMutation({
  args: { lease: v.string(), leaseMs: v.number(), limit: v.number() },
  returns: v.array(claimedShape),
  handler: async (ctx, { lease, leaseMs, limit }) => {
    const now = Date.now();
    const deliveries: Claimed[] = [];
    for (const row of await firstDue(ctx, now, limit)) {
      const webhook = await ctx.db.get(row.webhookId);
      if (webhook) deliveries.push(await leaseDelivery(ctx, row, webhook, { lease, dueAt: now + leaseMs }));
      else await ctx.db.delete(row._id);
    }
    return deliveries;
  },
});

/** Leases due deliveries, a limited number per webhook and person, as receivers may be slow. Returns the next `after`; null at the end. */
export const claimDue = serverMutation({
  args: {
    lease: v.string(),
    leaseMs: v.number(),
    limit: v.number(),
    after: v.union(v.string(), v.null()),
    running: v.array(runningDelivery),
  },
  returns: v.object({ deliveries: v.array(claimedShape), after: v.union(v.string(), v.null()) }),
  handler: async (ctx, { lease, leaseMs, limit, after, running }) => {
    const now = Date.now();
    const deliveries: Claimed[] = [];
    if (after === null) await addOwners(ctx, now);
    let visit = await continueVisit(ctx, after);
    for (let visited = 0; visit !== null; visit = await visitAfter(ctx, visit.owner)) {
      const { owner } = visit;
      const own = running.filter((each) => each.owner === owner);
      const last = own.at(-1)?.webhookId;
      for await (const webhookId of visit.isContinued ? laterWebhooks(ctx, visit) : waitingWebhooks(ctx, owner, last)) {
        visited++;
        const ofWebhook = own.filter((each) => each.webhookId === webhookId).length;
        const room = Math.min(limit - deliveries.length, PER_OWNER - own.length, PER_WEBHOOK - ofWebhook);
        const webhook = room > 0 ? await ctx.db.get(webhookId) : null;
        for (const row of room > 0 ? await dueDeliveries(ctx, { owner, webhookId }, now, room) : []) {
          own.push({ owner, webhookId });
          if (webhook) deliveries.push(await leaseDelivery(ctx, row, webhook, { lease, dueAt: now + leaseMs }));
          else await ctx.db.delete(row._id);
        }
        if (deliveries.length >= limit || own.length >= PER_OWNER) break;
        // Later claims visit the person's other webhooks, all of them if this one did not begin with the first.
        const isFromFirst = visit.isContinued || last === undefined;
        if (visited >= VISITED) return { deliveries, after: continuedAfter(owner, isFromFirst ? webhookId : undefined) };
      }
      if (deliveries.length >= limit || visited >= VISITED) break;
    }
    return { deliveries, after: visit?.owner ?? null };
  },
});

const firstDue = ({ db }: Pick<MutationCtx, "db">, now: number, limit: number) =>
  db
    .query("webhookDeliveries")
    .withIndex("by_due", (q) => q.gt("dueAt", 0).lte("dueAt", now))
    .take(limit);

async function addOwners(ctx: MutationCtx, now: number): Promise<void> {
  for (const { _id, webhookId, owner } of await firstDue(ctx, now, VISITED)) {
    if (owner !== undefined) continue;
    const webhook = await ctx.db.get(webhookId);
    if (webhook) await ctx.db.patch(_id, { owner: webhook.createdBy });
    else await ctx.db.delete(_id);
  }
}

async function leaseDelivery(
  { db }: MutationCtx,
  { _id: id, ...row }: Doc<"webhookDeliveries">,
  { _id: webhookId, url, sealedSecret, projectId, createdBy: owner }: Doc<"webhooks">,
  leased: { lease: string; dueAt: number },
): Promise<Claimed> {
  const attempts = row.attempts + 1;
  await db.patch(id, { attempts, ...leased });
  const { event, createdAt, items, comment, newStatus } = row;
  const about = { items, ...(comment && { comment }), ...(newStatus !== undefined && { newStatus }) };
  return { id, webhookId, owner, attempts, url, sealedSecret, event, createdAt, projectId, ...about };
}

const outcome = { id: v.id("webhookDeliveries"), lease: v.string(), status: v.optional(v.number()), problem: v.optional(v.string()) };

export const finish = serverMutation({
  args: outcome,
  returns: v.null(),
  handler: (ctx, args) =>
    report(ctx, args, { dueAt: undefined, owner: undefined, finishedAt: Date.now(), isDelivered: args.problem === undefined }),
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
