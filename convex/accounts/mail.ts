import { v } from "convex/values";
import type { Doc } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";
import { serverMutation, serverQuery } from "../model/access";
import { accountNotice, isAccountNotice } from "../model/accounts/noticeTables";

const OUTBOX_LIMIT = 50;
const PACE_PREFIX = "mail:";

const content = v.union(
  v.object({ sealed: v.string() }),
  v.object({ notice: accountNotice, at: v.number(), to: v.string(), name: v.string() }),
);

export const queue = serverMutation({
  args: { sealed: v.string(), userId: v.optional(v.string()), expiresAt: v.number() },
  returns: v.null(),
  handler: async ({ db }, { sealed, userId, expiresAt }) => {
    await db.insert("mails", { userId, content: { sealed }, attempts: 0, dueAt: Date.now(), expiresAt });
    return null;
  },
});

/** Returns when the next message is due. Workers subscribe to it, so an idle queue costs nothing. */
export const due = serverQuery({
  args: {},
  returns: v.union(v.number(), v.null()),
  handler: async ({ db }) => (await db.query("mails").withIndex("by_due").first())?.dueAt ?? null,
});

/** Leases due messages for `leaseMs`, after which unreported ones are due again. A crashed worker loses none but may send one twice. */
export const claim = serverMutation({
  args: { lease: v.string(), leaseMs: v.number(), limit: v.number() },
  returns: v.array(v.object({ id: v.id("mails"), attempts: v.number(), content })),
  handler: async (ctx, { lease, leaseMs, limit }) => {
    const now = Date.now();
    const rows = await ctx.db
      .query("mails")
      .withIndex("by_due", (q) => q.lte("dueAt", now))
      .take(limit);
    const claimed = [];
    for (const row of rows) {
      const content = row.expiresAt > now ? await contentOf(ctx, row) : null;
      if (!content) {
        await ctx.db.delete(row._id);
        continue;
      }
      await ctx.db.patch(row._id, { lease, attempts: row.attempts + 1, dueAt: now + leaseMs });
      claimed.push({ id: row._id, attempts: row.attempts + 1, content });
    }
    return claimed;
  },
});

export const done = serverMutation({
  args: { id: v.id("mails"), lease: v.string() },
  returns: v.null(),
  handler: async ({ db }, { id, lease }) => {
    const row = await db.get(id);
    if (row?.lease === lease) await db.delete(id);
    return null;
  },
});

export const postpone = serverMutation({
  args: { id: v.id("mails"), lease: v.string(), dueAt: v.number() },
  returns: v.null(),
  handler: async ({ db }, { id, lease, dueAt }) => {
    const row = await db.get(id);
    if (row?.lease === lease) await db.patch(id, { lease: undefined, dueAt });
    return null;
  },
});

export const outbox = serverQuery({
  args: {},
  returns: v.array(v.object({ id: v.id("mails"), writtenAt: v.number(), content })),
  handler: async (ctx) => {
    const rows = await ctx.db.query("mails").order("desc").take(OUTBOX_LIMIT);
    const found = await Promise.all(
      rows.map(async (row) => ({ id: row._id, writtenAt: row._creationTime, content: await contentOf(ctx, row) })),
    );
    return found.flatMap(({ content, ...rest }) => (content ? [{ ...rest, content }] : []));
  },
});

/** Returns 0 and counts the action, or the seconds to wait. Better Auth's own rate limits delete old entries. */
export const pace = serverMutation({
  args: { key: v.string(), seconds: v.number() },
  returns: v.number(),
  handler: async ({ db }, args) => {
    const key = PACE_PREFIX + args.key;
    const now = Date.now();
    const row = await db
      .query("rateLimits")
      .withIndex("key", (q) => q.eq("key", key))
      .unique();
    const wait = row ? row.lastRequest + args.seconds * 1000 - now : 0;
    if (wait > 0) return Math.ceil(wait / 1000);
    if (row) await db.patch(row._id, { lastRequest: now, count: 1 });
    else await db.insert("rateLimits", { id: key, key, count: 1, lastRequest: now });
    return 0;
  },
});

async function contentOf({ db }: QueryCtx, { content, userId }: Doc<"mails">) {
  if ("sealed" in content) return content;
  const row = await db.get(content.notice);
  const user = await db
    .query("users")
    .withIndex("id", (q) => q.eq("id", userId ?? ""))
    .unique();
  return row && user && isAccountNotice(row.notice) ? { notice: row.notice, at: row.at, to: content.to, name: user.name } : null;
}
